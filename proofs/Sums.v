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

(** * A noisy sum over a noisy count *)

(** T, centred so that one record adds at most the width of the limits. *)
Definition centred_sum (m : limits) (xs : list Z) : Z :=
  (2 * sum xs - size xs * (least m + most m))%Z.

(** T and N are released, with half of epsilon each. *)
Definition noisy_pair (c d epsilon : R) (m : limits) (xs : list Z) (t n : Z) : R :=
  discrete_laplace c (epsilon / 2) (most m - least m) (centred_sum m xs) t
  * discrete_laplace d (epsilon / 2) 1 (size xs) n.

Lemma centred_sum_cons m u xs ys : Permutation ys (u :: xs) ->
  (centred_sum m ys = (2 * u - least m - most m) + centred_sum m xs /\ size ys = size xs + 1)%Z.
Proof.
  intros P. unfold centred_sum. rewrite (sum_permutation _ _ P), (size_permutation _ _ P).
  unfold size. cbn [sum length]. lia.
Qed.

(** A record that comes or goes moves both, a replaced one moves T alone, by twice as much. *)
Lemma pair_moves m xs ys : within_limits m xs -> within_limits m ys -> edit xs ys ->
  (Z.abs (centred_sum m xs - centred_sum m ys) + (most m - least m) * Z.abs (size xs - size ys)
    <= 2 * (most m - least m))%Z.
Proof.
  intros X Y [(u & v & rest & P & Q)|[(u & P)|(u & P)]].
  - destruct (centred_sum_cons m u rest xs P) as [-> ->].
    destruct (centred_sum_cons m v rest ys Q) as [-> ->].
    assert (In u xs) as U by (apply (Permutation_in _ (Permutation_sym P)); now left).
    assert (In v ys) as V by (apply (Permutation_in _ (Permutation_sym Q)); now left).
    apply X in U. apply Y in V. rewrite Z.sub_diag. cbn [Z.abs]. lia.
  - destruct (centred_sum_cons m u xs ys P) as [-> ->].
    assert (In u ys) as U by (apply (Permutation_in _ (Permutation_sym P)); now left).
    apply Y in U. replace (size xs - (size xs + 1))%Z with (-1)%Z by lia. cbn [Z.abs]. lia.
  - destruct (centred_sum_cons m u ys xs P) as [-> ->].
    assert (In u xs) as U by (apply (Permutation_in _ (Permutation_sym P)); now left).
    apply X in U. replace (size ys + 1 - size ys)%Z with 1%Z by lia. cbn [Z.abs]. lia.
Qed.

Theorem noisy_pair_private c d epsilon m xs ys t n :
  0 <= c -> 0 <= d -> 0 <= epsilon -> (least m < most m)%Z ->
  within_limits m xs -> within_limits m ys -> edit xs ys ->
  noisy_pair c d epsilon m xs t n <= exp epsilon * noisy_pair c d epsilon m ys t n.
Proof.
  intros Hc Hd He L X Y E. pose proof (pair_moves m xs ys X Y E) as M.
  set (w := (most m - least m)%Z) in *. assert (0 < IZR w) as W by (apply IZR_lt; unfold w; lia).
  apply IZR_le in M. rewrite plus_IZR, !mult_IZR in M.
  assert (forall f g y : Z, IZR (Z.abs (y - g)) <= IZR (Z.abs (y - f)) + IZR (Z.abs (f - g))) as T
    by (intros; rewrite <- plus_IZR; apply IZR_le; lia).
  pose proof (T (centred_sum m xs) (centred_sum m ys) t) as T1. pose proof (T (size xs) (size ys) n) as T2.
  unfold noisy_pair, discrete_laplace. fold w.
  set (a := IZR (Z.abs (t - centred_sum m xs))) in *. set (b := IZR (Z.abs (t - centred_sum m ys))) in *.
  set (g := IZR (Z.abs (n - size xs))) in *. set (h := IZR (Z.abs (n - size ys))) in *.
  set (dt := IZR (Z.abs (centred_sum m xs - centred_sum m ys))) in *.
  set (dn := IZR (Z.abs (size xs - size ys))) in *.
  replace (c * exp (- (epsilon / 2 / IZR w * a)) * (d * exp (- (epsilon / 2 / 1 * g))))
    with (c * d * exp (- (epsilon / 2 / IZR w * a) + - (epsilon / 2 / 1 * g))) by (rewrite exp_plus; ring).
  replace (exp epsilon * (c * exp (- (epsilon / 2 / IZR w * b)) * (d * exp (- (epsilon / 2 / 1 * h)))))
    with (c * d * exp (epsilon + (- (epsilon / 2 / IZR w * b) + - (epsilon / 2 / 1 * h))))
    by (rewrite !exp_plus; ring).
  apply Rmult_le_compat_l; [now apply Rmult_le_pos|]. apply exp_le.
  set (k := epsilon / 2 / IZR w).
  assert (0 <= k) as K by (unfold k, Rdiv; repeat apply Rmult_le_pos; try lra; left; now apply Rinv_0_lt_compat).
  replace (epsilon / 2 / 1) with (k * IZR w) by (unfold k; field; lra).
  replace epsilon with (2 * (k * IZR w)) by (unfold k; field; lra).
  assert (0 <= k * IZR w) by nra.
  assert (k * (dt + IZR w * dn) <= k * (2 * IZR w)) by (now apply Rmult_le_compat_l).
  assert (k * b <= k * (a + dt)) by (now apply Rmult_le_compat_l).
  assert (k * IZR w * h <= k * IZR w * (g + dn)) by (now apply Rmult_le_compat_l). lra.
Qed.
