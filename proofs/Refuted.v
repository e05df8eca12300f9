(** Printed forms that break privacy, refuted by data sets that Coq computes (errata 1 and 3).

    Noise whose exp(- e1) and exp(- e2) are rational makes every partial sum a rational. *)

From Coq Require Import ZArith List Permutation Reals Lra Lia QArith Qreals.
From LeastNoise Require Import Law Score OrderStatistics SparseVector PermuteFlip.
Import ListNotations.
Open Scope R_scope.

(** * The smaller charge e1 + e2 for the exact add-remove bounds of a median *)

(** exp(- ln(1/b) a) = b^a. *)
Lemma exp_power (b : R) (n : nat) : 0 < b -> exp (- (- ln b * INR n)) = b ^ n.
Proof.
  intros H. replace (- (- ln b * INR n)) with (INR n * ln b) by ring.
  rewrite <- (exp_ln (b ^ n)) by now apply pow_lt. f_equal.
  induction n as [|n IH]; [cbn; rewrite ln_1; ring|].
  rewrite S_INR. cbn [pow]. rewrite ln_mult by (auto using pow_lt). lra.
Qed.

Section Rational.
Variable p1 p2 : Q.
Hypothesis p1_unit : 0 < Q2R p1 < 1.
Hypothesis p2_unit : 0 < Q2R p2 < 1.

Fixpoint power (b : Q) (n : nat) : Q := match n with O => 1 | S n => (b * power b n)%Q end.

Definition fire_q (a : Z) : Q := power p2 (Z.to_nat (Z.max 0 a)).

Fixpoint answers_q (z : Z) (t : transcript) : Q :=
  match t with
  | [] => 1
  | (h, above) :: rest =>
      ((if above : bool then fire_q (z + h) else 1 - fire_q (z + h)) * answers_q z rest)%Q
  end.

Definition term_q (t : transcript) (z : nat) : Q :=
  ((1 - p1) * power p1 z * answers_q (Z.of_nat z) t)%Q.

Fixpoint sum_q (t : transcript) (n : nat) : Q :=
  match n with O => term_q t 0 | S n => (sum_q t n + term_q t (S n))%Q end.

Let e1 : R := - ln (Q2R p1).
Let e2 : R := - ln (Q2R p2).

Lemma Q2R_one : Q2R 1 = 1.
Proof. unfold Q2R. cbn. lra. Qed.

Lemma power_real b n : Q2R (power b n) = Q2R b ^ n.
Proof. induction n as [|n IH]; cbn [power pow]; [apply Q2R_one|]. now rewrite Q2R_mult, IH. Qed.

Lemma fire_real a : Q2R (fire_q a) = fire e2 a.
Proof.
  unfold fire_q, fire, e2. rewrite power_real.
  rewrite <- (Z2Nat.id (Z.max 0 a)) at 2 by lia. rewrite <- INR_IZR_INZ.
  symmetry. apply exp_power. lra.
Qed.

Lemma answers_real z t : Q2R (answers_q z t) = answers_given e2 z t.
Proof.
  induction t as [|[h b] t IH]; cbn [answers_q answers_given]; [apply Q2R_one|].
  rewrite Q2R_mult, IH. destruct b; [now rewrite fire_real|].
  now rewrite Q2R_minus, fire_real, Q2R_one.
Qed.

Lemma term_real t z : Q2R (term_q t z) = term e1 e2 t z.
Proof.
  unfold term_q, term, geometric. rewrite !Q2R_mult, Q2R_minus, Q2R_one, answers_real, power_real.
  rewrite <- (exp_power (Q2R p1) z) by lra. fold e1.
  replace (exp (- e1)) with (Q2R p1); [reflexivity|].
  unfold e1. rewrite Ropp_involutive, exp_ln; lra.
Qed.

Lemma sum_real t n : Q2R (sum_q t n) = sum_f_R0 (term e1 e2 t) n.
Proof.
  induction n as [|n IH]; cbn [sum_q sum_f_R0]; [apply term_real|].
  now rewrite Q2R_plus, IH, term_real.
Qed.

Lemma e1_positive : 0 <= e1.
Proof. unfold e1. assert (ln (Q2R p1) < ln 1) by (apply ln_increasing; lra). rewrite ln_1 in *. lra. Qed.

Lemma e2_positive : 0 <= e2.
Proof. unfold e2. assert (ln (Q2R p2) < ln 1) by (apply ln_increasing; lra). rewrite ln_1 in *. lra. Qed.

(** A partial sum, and what the rest of the noise can add. *)
Lemma probability_enclosed t p n : probability e1 e2 t p ->
  Q2R (sum_q t n) <= p <= Q2R (sum_q t n) + Q2R (power p1 (S n)).
Proof.
  intros P. pose proof e1_positive as H1. pose proof e2_positive as H2. rewrite sum_real. split.
  - apply sum_le_limit; [intros z; now apply term_nonneg | exact P].
  - apply (limit_le _ _ _ P). intros m.
    assert (forall a b, sum_f_R0 (term e1 e2 t) (a + b) <=
      sum_f_R0 (term e1 e2 t) a + (sum_f_R0 (geometric e1) (a + b) - sum_f_R0 (geometric e1) a)) as G.
    { intros a b. induction b as [|b IH]; [rewrite Nat.add_0_r; lra|].
      rewrite Nat.add_succ_r. cbn [sum_f_R0]. unfold term at 2.
      pose proof (geometric_nonneg e1 (S (a + b)) H1).
      pose proof (answers_given_unit e2 (Z.of_nat (S (a + b))) t H2). nra. }
    assert (0 < exp (- (e1 * INR (S n)))) by apply exp_pos.
    rewrite power_real, <- (exp_power (Q2R p1) (S n)) by lra. fold e1.
    destruct (Nat.le_ge_cases m n) as [L|L].
    + apply Rle_trans with (sum_f_R0 (term e1 e2 t) n); [|lra].
      replace n with (m + (n - m))%nat by lia. generalize (n - m)%nat as b.
      induction b as [|b IH]; [rewrite Nat.add_0_r; lra|]. rewrite Nat.add_succ_r. cbn [sum_f_R0].
      pose proof (term_nonneg e1 e2 t (S (m + b)) H1 H2). lra.
    + specialize (G n (m - n)%nat). replace (n + (m - n))%nat with m in G by lia.
      rewrite !geometric_sum in G. pose proof (exp_pos (- (e1 * INR (S m)))). lra.
Qed.

(** What refutes a charge of e1 + e2: a sum that is more than the other one, its rest included, over
    p1 p2. *)
Lemma refutation t u n : (sum_q u n + power p1 (S n) < p1 * p2 * sum_q t n)%Q ->
  forall a b, probability e1 e2 t a -> probability e1 e2 u b -> exp (e1 + e2) * b < a.
Proof.
  intros p a b A B. apply probability_enclosed with (n := n) in A, B.
  apply Qlt_Rlt in p. rewrite Q2R_plus, !Q2R_mult in p.
  replace (exp (e1 + e2)) with (/ Q2R p1 * / Q2R p2).
  2:{ rewrite exp_plus. unfold e1, e2. rewrite !exp_Ropp, !exp_ln by lra. easy. }
  apply Rmult_lt_reg_l with (Q2R p1 * Q2R p2); [nra|].
  replace (Q2R p1 * Q2R p2 * (/ Q2R p1 * / Q2R p2 * b)) with b by (field; lra).
  apply Rle_lt_trans with (Q2R (sum_q u n) + Q2R (power p1 (S n))); [lra|].
  apply Rlt_le_trans with (Q2R p1 * Q2R p2 * Q2R (sum_q t n)); [lra|].
  apply Rmult_le_compat_l; [nra | lra].
Qed.

End Rational.

Definition range : limits := Limits 0 4.
Definition one_half : ratio := (1, 2)%Z.
Definition candidates : list Z := [0; 1; 2; 3; 4]%Z.
Definition fewer : list Z := [0; 0; 4]%Z.
Definition more : list Z := [2; 0; 0; 4]%Z.

Definition walk_of (xs : list Z) : transcript :=
  walk 9 candidates (add_remove_profile range one_half xs) (Some 3%nat).

Lemma computed :
  (sum_q (1 # 2) (1 # 8) (walk_of fewer) 12 + power (1 # 2) 13
   < (1 # 2) * (1 # 8) * sum_q (1 # 2) (1 # 8) (walk_of more) 12)%Q.
Proof. vm_compute. reflexivity. Qed.

(** A median under add-remove with its exact bounds, walked for e1 + e2: between (0, 0, 2, 4) and
    (0, 0, 4) the loss is more than e1 + e2 at e1 = ln 2, e2 = ln 8. *)
Theorem exact_add_remove_is_not_monotone :
  exists e1 e2 xs ys, 0 <= e1 /\ 0 <= e2 /\ add_remove xs ys /\
  forall a b, probability e1 e2 (walk_of xs) a -> probability e1 e2 (walk_of ys) b ->
  exp (e1 + e2) * b < a.
Proof.
  assert (0 < Q2R (1 # 2) < 1) as P1 by (unfold Q2R; cbn; lra).
  assert (0 < Q2R (1 # 8) < 1) as P2 by (unfold Q2R; cbn; lra).
  exists (- ln (Q2R (1 # 2))), (- ln (Q2R (1 # 8))), more, fewer.
  split; [exact (e1_positive (1 # 2) P1)|]. split; [exact (e2_positive (1 # 8) P2)|].
  split; [right; now exists 2%Z|].
  exact (refutation (1 # 2) (1 # 8) P1 P2 _ _ 12 computed).
Qed.

(** * The printed length of a median: #{x in (t, m]} or #{x in [m, t)} *)

Definition printed_length (m : Z) (xs : list Z) (t : Z) : nat :=
  length (filter (fun x => if t <? m then (t <? x) && (x <=? m) else (m <=? x) && (x <? t))%Z xs).

(** Lower medians 11 and 10 of five records; the range is [0, 12]. *)
Definition three_above : list Z := [10; 10; 11; 11; 11]%Z.
Definition two_above : list Z := [10; 10; 10; 11; 11]%Z.
Definition answers : list Z := [0; 1; 2; 3; 4; 5; 6; 7; 8; 9; 10; 11; 12]%Z.

Definition printed_law (epsilon : R) (m : Z) (xs : list Z) : Z -> R :=
  prob (weight (fun _ => 1) (fun t => epsilon / 2 * INR (printed_length m xs t))) answers.

Theorem printed_length_is_not_private :
  exists epsilon, 0 < epsilon /\ replace_one three_above two_above /\
  ~ close epsilon answers (printed_law epsilon 11 three_above) (printed_law epsilon 10 two_above).
Proof.
  set (b := 3 / 5). assert (0 < b) as B by (unfold b; lra).
  assert (ln b < 0) as L by (rewrite <- ln_1; apply ln_increasing; unfold b; lra).
  exists (2 * - ln b). split; [lra|]. split.
  { exists 11%Z, 10%Z, [10; 10; 11; 11]%Z. split.
    - apply Permutation_sym, (Permutation_middle [10; 10] [11; 11] 11)%Z.
    - easy. }
  assert (forall m xs t, weight (fun _ => 1) (fun t => 2 * - ln b / 2 * INR (printed_length m xs t)) t
    = b ^ printed_length m xs t) as W.
  { intros m xs t. unfold weight. rewrite Rmult_1_l. rewrite <- (exp_power b) by easy.
    f_equal. field. }
  assert (exp (2 * - ln b) = / b * / b) as E.
  { replace (2 * - ln b) with (- ln b + - ln b) by ring. rewrite exp_plus, exp_Ropp, exp_ln; lra. }
  intros C. specialize (C 11%Z ltac:(cbn; tauto)). unfold printed_law, prob in C.
  rewrite E in C. unfold answers in C. cbn [total] in C. rewrite !W in C.
  unfold printed_length, three_above, two_above in C. cbn in C. unfold b in C. lra.
Qed.

(** * Permute and flip: private, but of no bounded range *)

Definition cost_before (c : bool) : R := 0.
Definition cost_after (c : bool) : R := if c then ln 2 else 0.

Definition chosen (cost : bool -> R) (c : bool) : R :=
  permute_and_flip cost 0 [false; true] (fun d => if Bool.eqb d c then 1 else 0).

(** Two candidates, the cost of one of which rises by ln 2: the loss is at most ln 2, but from one
    candidate to the other it moves by ln 3. *)
Theorem permute_and_flip_has_no_bounded_range :
  exists a, 0 < a /\ (forall c, cost_before c <= cost_after c <= cost_before c + a) /\
  ~ bounded_range a [false; true] (chosen cost_after) (chosen cost_before).
Proof.
  assert (0 < ln 2) as L by (rewrite <- ln_1; apply ln_increasing; lra).
  exists (ln 2). split; [easy|]. split; [intros []; unfold cost_before, cost_after; lra|].
  intros H. specialize (H false true ltac:(cbn; tauto) ltac:(cbn; tauto)).
  assert (exp (- (ln 2 - 0)) = / 2) as E by (rewrite Rminus_0_r, exp_Ropp, exp_ln; lra).
  assert (exp (- (0 - 0)) = 1) as O by (rewrite Rminus_diag_eq, Ropp_0 by easy; apply exp_0).
  rewrite exp_ln in H by lra.
  unfold chosen, permute_and_flip, coin_of in H. cbn in H. unfold cost_before in H.
  rewrite E, O, Rinv_1 in H. replace (1 + 1) with 2 in H by lra. lra.
Qed.
