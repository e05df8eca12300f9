(** K-norm noise: the radial law of a norm whose ball holds what one record can change.

    Model of [mechanisms/k_norm.py] on a lattice of vectors, with a ball that finitely many integer
    facets give. The code draws a real vector and rounds it: here the fine lattice and its rounding
    stand for that. *)

From Coq Require Import ZArith List Permutation Reals Lra Lia.
From LeastNoise Require Import Law OrderStatistics.
Import ListNotations.
Open Scope Z_scope.

(** * The model: vectors by their coordinates *)

Definition vector : Type := nat -> Z.

Definition minus (u v : vector) : vector := fun i => u i - v i.

Fixpoint dot (row : list Z) (i : nat) (v : vector) : Z :=
  match row with [] => 0 | a :: rest => a * v i + dot rest (S i) v end.

(** The norm of the ball |row . v| <= 1 over all facets. *)
Fixpoint norm (facets : list (list Z)) (v : vector) : Z :=
  match facets with [] => 0 | row :: rest => Z.max (Z.abs (dot row 0 v)) (norm rest v) end.

(** A sum over records of what each contributes. *)
Fixpoint vector_sum {Row} (contribution : Row -> vector) (rows : list Row) : vector :=
  match rows with
  | [] => fun _ => 0
  | r :: rest => fun i => contribution r i + vector_sum contribution rest i
  end.

(** * The norm *)

Lemma dot_minus row : forall i u v, dot row i (minus u v) = dot row i u - dot row i v.
Proof. induction row as [|a row IH]; intros; cbn; [easy|]. rewrite IH. unfold minus. lia. Qed.

Theorem norm_triangle facets u v w :
  norm facets (minus u w) <= norm facets (minus u v) + norm facets (minus v w).
Proof.
  assert (forall fs x, 0 <= norm fs x) as N by (induction fs; intros; cbn; [easy | lia]).
  induction facets as [|row facets IH]; cbn; [easy|]. rewrite !dot_minus.
  pose proof (N facets (minus u v)). pose proof (N facets (minus v w)). lia.
Qed.

Lemma norm_symmetric facets u v : norm facets (minus u v) = norm facets (minus v u).
Proof. induction facets as [|row facets IH]; cbn; [easy|]. rewrite !dot_minus. lia. Qed.

Lemma norm_ext facets u v : (forall i, u i = v i) -> norm facets u = norm facets v.
Proof.
  intros H. assert (forall row i, dot row i u = dot row i v) as D.
  { induction row as [|a row IH]; intros i; cbn; [easy|]. now rewrite IH, H. }
  induction facets as [|row facets IH]; cbn; [easy|]. now rewrite D, IH.
Qed.

(** The distance of an answer moves by at most as much as the statistic does. *)
Lemma distance_moves facets y t u delta : norm facets (minus t u) <= delta ->
  norm facets (minus y t) <= norm facets (minus y u) + delta.
Proof. intros H. pose proof (norm_triangle facets y u t). rewrite (norm_symmetric facets u t) in *. lia. Qed.

(** * What one record changes *)

Lemma vector_sum_permutation {Row} (c : Row -> vector) xs ys : Permutation xs ys ->
  forall i, vector_sum c xs i = vector_sum c ys i.
Proof. induction 1; intros i; cbn; try specialize (IHPermutation i); try lia. now rewrite IHPermutation1. Qed.

(** Replaced: the difference of two contributions. All other records cancel. *)
Theorem vector_sum_replaced {Row} (c : Row -> vector) facets delta xs ys :
  (forall u v, norm facets (minus (c u) (c v)) <= delta) -> replace_one xs ys ->
  norm facets (minus (vector_sum c xs) (vector_sum c ys)) <= delta.
Proof.
  intros H (u & v & rest & P & Q). rewrite (norm_ext facets _ (minus (c u) (c v))); [apply H|].
  intros i. unfold minus.
  rewrite (vector_sum_permutation c _ _ P i), (vector_sum_permutation c _ _ Q i). cbn. lia.
Qed.

(** Added or removed: one contribution. *)
Theorem vector_sum_added {Row} (c : Row -> vector) facets delta xs ys :
  (forall u, norm facets (c u) <= delta) -> add_remove xs ys ->
  norm facets (minus (vector_sum c xs) (vector_sum c ys)) <= delta.
Proof.
  intros H [(u & P)|(u & P)].
  - rewrite norm_symmetric, (norm_ext facets _ (c u)); [apply H|].
    intros i. unfold minus. rewrite (vector_sum_permutation c _ _ P i). cbn. lia.
  - rewrite (norm_ext facets _ (c u)); [apply H|].
    intros i. unfold minus. rewrite (vector_sum_permutation c _ _ P i). cbn. lia.
Qed.

(** * The law *)

Open Scope R_scope.

Definition radial (facets : list (list Z)) (rate : R) (t y : vector) : R :=
  rate * IZR (norm facets (minus y t)).

Section Radial.
Variable facets : list (list Z).
Variable delta : Z.
Hypothesis delta_positive : (0 < delta)%Z.
Variable epsilon : R.
Hypothesis epsilon_nonneg : 0 <= epsilon.
Variable t u : vector.
(** The ball of radius delta holds what a record can change. *)
Hypothesis in_ball : (norm facets (minus t u) <= delta)%Z.

Lemma radial_moves rate y : 0 <= rate ->
  Rabs (radial facets rate t y - radial facets rate u y) <= rate * IZR delta.
Proof.
  intros Hr. unfold radial. apply Rabs_le.
  pose proof (distance_moves facets y t u delta in_ball) as A.
  assert (norm facets (minus u t) <= delta)%Z as B by (now rewrite norm_symmetric).
  apply (distance_moves facets y u t delta) in B.
  apply IZR_le in A, B. rewrite plus_IZR in A, B. nra.
Qed.

(** On the whole lattice, where the normaliser is the same for all data: rate epsilon / delta. *)
Theorem radial_private c y : 0 <= c ->
  c * exp (- radial facets (epsilon / IZR delta) t y)
    <= exp epsilon * (c * exp (- radial facets (epsilon / IZR delta) u y)).
Proof.
  intros Hc. assert (0 < IZR delta) as D by now apply IZR_lt.
  assert (0 <= epsilon / IZR delta) as Q
    by (apply Rmult_le_pos; [easy | left; now apply Rinv_0_lt_compat]).
  pose proof (radial_moves (epsilon / IZR delta) y Q) as M.
  replace (epsilon / IZR delta * IZR delta) with epsilon in M by (field; lra).
  replace (exp epsilon * (c * exp (- radial facets (epsilon / IZR delta) u y)))
    with (c * (exp epsilon * exp (- radial facets (epsilon / IZR delta) u y))) by ring.
  rewrite <- exp_plus. apply Rmult_le_compat_l; [easy|]. apply exp_le.
  unfold Rabs in M. destruct (Rcase_abs _); lra.
Qed.

(** Rounding: the fine points of one coarse point's cell, whatever cells are. *)
Theorem rounded_private c (cell : list vector) : 0 <= c ->
  total (fun y => c * exp (- radial facets (epsilon / IZR delta) t y)) cell
    <= exp epsilon * total (fun y => c * exp (- radial facets (epsilon / IZR delta) u y)) cell.
Proof. intros Hc. apply total_le. intros y _. now apply radial_private. Qed.

(** On a finite lattice, normalised there: half the rate, and bounded range. *)
Theorem finite_radial_private (lattice : list vector) :
  let law s := prob (weight (fun _ => 1) (radial facets (epsilon / 2 / IZR delta) s)) lattice in
  close epsilon lattice (law t) (law u) /\ bounded_range epsilon lattice (law t) (law u).
Proof.
  intros law. set (h := epsilon / 2).
  enough (close (h + h) lattice (law t) (law u) /\ bounded_range (h + h) lattice (law t) (law u))
    as G by (replace (h + h) with epsilon in G by (subst h; lra); exact G).
  apply exponents_private; [intros; lra|]. intros y _.
  assert (0 < IZR delta) as D by now apply IZR_lt.
  assert (0 <= epsilon / 2 / IZR delta) as Q
    by (apply Rmult_le_pos; [lra | left; now apply Rinv_0_lt_compat]).
  pose proof (radial_moves (epsilon / 2 / IZR delta) y Q) as M.
  replace (epsilon / 2 / IZR delta * IZR delta) with h in M by (subst h; field; lra).
  fold h in M. fold h.
  unfold Rabs in M. destruct (Rcase_abs _); lra.
Qed.

End Radial.
