(** The model, to be computed: does it give what the library gave?

    tests/laws/test_model_laws.py writes a file of such questions, with the answers of the library,
    and Coq computes which of them it would have answered otherwise. *)

From Coq Require Import ZArith QArith List Bool.
From LeastNoise Require Import Score OrderStatistics SparseVector Composition Blocks Sums SumBounds Shifted PermuteFlip Nested.
Import ListNotations.
Open Scope Z_scope.

Definition same (x y : ratio) : bool :=
  (fst x * snd y =? fst y * snd x) && (0 <? snd x) && (0 <? snd y).

Fixpoint all2 {A B} (f : A -> B -> bool) (xs : list A) (ys : list B) : bool :=
  match xs, ys with
  | [], [] => true
  | x :: xs, y :: ys => f x y && all2 f xs ys
  | _, _ => false
  end.

(** A quantile of a table between two limits, for persons of some rows. *)
Record table := Table {
  exact : bool; (* the bounds of add-remove, else those of edit *)
  lim : limits;
  quantile : ratio;
  rows : nat;
  records : list Z;
}.

Definition profile_of (t : table) : profile :=
  strided (rows t)
    ((if exact t then add_remove_profile else edit_profile) (lim t) (quantile t) (records t)).

Definition public_of (t : table) (d : nat) (w : Z) : public := Public (least (lim t)) (most (lim t)) d w.

(** Bounds of the levels 0, 1, 2, ... *)
Definition bounds_agree (t : table) (expected : list (Z * Z)) : bool :=
  all2 (fun l e => (lower (profile_of t) l =? fst e) && (upper (profile_of t) l =? snd e))
    (seq 0 (length expected)) expected.

(** The exponent of every point, and the points of every block of the sampler. *)
Definition levels_agree (t : table) (d : nat) (w : Z) (epsilon : ratio) (sloped : bool)
  (exponents : list ratio) (points_of_blocks : list (list Z)) : bool :=
  let r := public_of t d w in
  let p := profile_of t in
  all2 same (map (exponent epsilon sloped r p) (points r)) exponents
  && match blocks 400 epsilon sloped r p with
     | Some bs => all2 (all2 Z.eqb) bs points_of_blocks
     | None => false
     end.

Definition shifted_agrees (t : table) (d : nat) (tau : Z) (over under : ratio)
  (exponents : list ratio) : bool :=
  let r := public_of t d 0 in
  all2 same (map (shifted_exponent over under tau r (profile_of t)) (points r)) exponents.

(** The mode, the least exponent, and where the blocks of the sampler end, over the cells between
    these corners. *)
Definition shifted_blocks_agree (t : table) (d : nat) (tau : Z) (over under : ratio)
  (corners : list Z) (first : Z) (least : ratio) (ends : list (Z * Z)) : bool :=
  let r := public_of t d 0 in
  let p := profile_of t in
  (mode tau corners r p =? first) && same (least_exponent over under tau corners r p) least
  && match shifted_cut over under tau corners r p 400 with
     | Some found => all2 (fun x y => (fst x =? fst y) && (snd x =? snd y)) found ends
     | None => false
     end.

(** The height of every candidate of a walk, up or down. *)
Definition heights_agree (t : table) (d : nat) (down : bool) (candidates heights : list Z) : bool :=
  let p := if down then mirror (profile_of t) else profile_of t in
  all2 Z.eqb (map (height d p) candidates) heights.

Definition sum_agrees (m : limits) (records : list Z) (total replaced added edited : Z) : bool :=
  (saturated_sum m records =? total) && (sensitivity_replace_one m =? replaced)
  && (sensitivity_add_remove m =? added) && (sensitivity_edit m =? edited).

(** Bounds of a sum: of a public number of records, or of a private one under add-remove or edit. *)
Definition sum_bounds_agree (relation : option bool) (max_rows : Z) (m : limits) (records : list Z)
  (expected : list (Z * Z)) : bool :=
  let xs := map (saturate m) records in
  let p := match relation with
    | None => public_profile m xs
    | Some deletes_only => private_profile deletes_only max_rows m xs
    end in
  all2 (fun l e => (lower p l =? fst e) && (upper p l =? snd e)) (seq 0 (length expected)) expected.

(** How many records must change for a statistic to leave each interval, less the margin. *)
Definition nested_agrees (t : table) (d : nat) (margin : Z) (intervals : list (Z * Z))
  (heights : list Z) : bool :=
  all2 Z.eqb (map (nested_height (public_of t d 0) (profile_of t) margin) intervals) heights.

(** The chance of every candidate under permute and flip, by its coins. *)
Definition choice_agrees (coins chances : list ratio) : bool :=
  let quotient x := (inject_Z (fst x) / inject_Z (snd x))%Q in
  let places := seq 0 (length coins) in
  let coin i := quotient (nth i coins (0, 1)) in
  all2 (fun i c => Qeq_bool (first_success_q coin (fun j => if Nat.eqb j i then 1 else 0)%Q
    (length coins) places) (quotient c)) places chances.

(** Both numbers behind a mean of a private number of records. *)
Definition pair_agrees (m : limits) (records : list Z) (total number : Z) : bool :=
  let xs := map (saturate m) records in
  (centred_sum m xs =? total) && (size xs =? number).

(** The places of the questions that were answered otherwise. *)
Fixpoint otherwise (place : Z) (answers : list bool) : list Z :=
  match answers with
  | [] => []
  | a :: rest => (if a then [] else [place]) ++ otherwise (place + 1) rest
  end.
