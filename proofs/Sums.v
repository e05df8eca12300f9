(** Sums of saturated records: how far one record moves them, and noise at that scale.

    Model of [summaries/lattice.py] (records are cut to the limits), [statistics/totals/sum.py] (the
    sensitivity under each relation, [inside]) and [laws/discrete_laplace.py]. *)

From Coq Require Import ZArith List Permutation Reals Lra Lia.
From LeastNoise Require Import Law Score OrderStatistics.
Import ListNotations.
Open Scope Z_scope.

(** * The model *)

(** A record beyond a limit is that limit; so is a sum beyond the range that is declared. *)
Definition saturate (m : limits) (x : Z) : Z := Z.max (least m) (Z.min (most m) x).

Fixpoint sum (xs : list Z) : Z := match xs with [] => 0 | x :: rest => x + sum rest end.

Definition saturated_sum (m : limits) (xs : list Z) : Z := sum (map (saturate m) xs).

Definition sensitivity_replace_one (m : limits) : Z := most m - least m.
Definition sensitivity_add_remove (m : limits) : Z := Z.max (Z.max (most m) 0) (Z.max (- least m) 0).
Definition sensitivity_edit (m : limits) : Z := Z.max (most m) 0 + Z.max (- least m) 0.

(** * How far a record moves a sum *)

Lemma sum_permutation xs ys : Permutation xs ys -> sum xs = sum ys.
Proof. induction 1; cbn; lia. Qed.

Lemma saturate_inside m x : least m <= most m -> least m <= saturate m x <= most m.
Proof. unfold saturate. lia. Qed.

(** Saturating moves two numbers no farther apart. *)
Lemma saturate_contracts m x y : least m <= most m ->
  Z.abs (saturate m x - saturate m y) <= Z.abs (x - y).
Proof. unfold saturate. lia. Qed.

Section Sensitivity.
Variable m : limits.
Hypothesis limits_ordered : least m <= most m.

Lemma saturated_sum_cons xs ys u : Permutation ys (u :: xs) ->
  saturated_sum m ys = saturate m u + saturated_sum m xs.
Proof.
  intros P. unfold saturated_sum. rewrite (sum_permutation _ _ (Permutation_map _ P)). reflexivity.
Qed.

Theorem sum_under_replace_one xs ys : replace_one xs ys ->
  Z.abs (saturated_sum m xs - saturated_sum m ys) <= sensitivity_replace_one m.
Proof.
  intros (u & v & rest & P & Q). rewrite (saturated_sum_cons rest xs u P), (saturated_sum_cons rest ys v Q).
  pose proof (saturate_inside m u limits_ordered). pose proof (saturate_inside m v limits_ordered).
  unfold sensitivity_replace_one. lia.
Qed.

Theorem sum_under_add_remove xs ys : add_remove xs ys ->
  Z.abs (saturated_sum m xs - saturated_sum m ys) <= sensitivity_add_remove m.
Proof.
  unfold sensitivity_add_remove.
  intros [(u & P)|(u & P)]; rewrite (saturated_sum_cons _ _ u P);
    pose proof (saturate_inside m u limits_ordered); lia.
Qed.

Theorem sum_under_edit xs ys : edit xs ys ->
  Z.abs (saturated_sum m xs - saturated_sum m ys) <= sensitivity_edit m.
Proof.
  unfold sensitivity_edit. intros [H|H].
  - pose proof (sum_under_replace_one xs ys H). unfold sensitivity_replace_one in *. lia.
  - pose proof (sum_under_add_remove xs ys H). unfold sensitivity_add_remove in *. lia.
Qed.

(** The limits of replace-one are not enough where a record can vanish: one record at 5. *)
Example replace_one_is_not_enough :
  let m := Limits 4 5 in
  add_remove [5] [] /\ sensitivity_replace_one m < Z.abs (saturated_sum m [5] - saturated_sum m []).
Proof. split; [right; now exists 5 | reflexivity]. Qed.

End Sensitivity.

(** * Noise: c exp(- epsilon |y - f| / sensitivity), c the same for all data *)

Open Scope R_scope.

Definition discrete_laplace (c epsilon : R) (sensitivity f y : Z) : R :=
  c * exp (- (epsilon / IZR sensitivity * IZR (Z.abs (y - f)))).

Theorem discrete_laplace_private c epsilon sensitivity f g y :
  0 <= c -> 0 <= epsilon -> (0 < sensitivity)%Z -> (Z.abs (f - g) <= sensitivity)%Z ->
  discrete_laplace c epsilon sensitivity f y <= exp epsilon * discrete_laplace c epsilon sensitivity g y.
Proof.
  intros Hc He Hs H. unfold discrete_laplace.
  replace (exp epsilon * (c * exp (- (epsilon / IZR sensitivity * IZR (Z.abs (y - g))))))
    with (c * (exp epsilon * exp (- (epsilon / IZR sensitivity * IZR (Z.abs (y - g)))))) by ring.
  rewrite <- exp_plus. apply Rmult_le_compat_l; [easy|]. apply exp_le.
  assert (IZR (Z.abs (y - g)) <= IZR (Z.abs (y - f)) + IZR sensitivity)
    by (rewrite <- plus_IZR; apply IZR_le; lia).
  assert (0 < IZR sensitivity) as S by now apply IZR_lt.
  assert (0 <= epsilon / IZR sensitivity) as Q
    by (apply Rmult_le_pos; [easy | left; now apply Rinv_0_lt_compat]).
  assert (epsilon / IZR sensitivity * IZR sensitivity = epsilon) as E by (field; lra).
  nra.
Qed.
