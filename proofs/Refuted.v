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
  match n with O => term_q t 0 | S n => Qred (sum_q t n + term_q t (S n)) end.

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
  now rewrite (Qeq_eqR _ _ (Qred_correct _)), Q2R_plus, IH, term_real.
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

(** * The same charge for a mean of losses without a limit, with its exact add-remove bounds *)

(** Means in sixtieths: the lowest after l changes deletes r of the largest and adds l - r zeros. *)
Definition unit : Z := 60.

Definition mean_lower (xs : list Z) (l : nat) : Z :=
  if Z.leb (size xs) (Z.of_nat l) then 0%Z
  else fold_right Z.min (unit * size xs * 10)%Z
    (map (fun r => unit * fold_right Z.add 0 (firstn (length xs - r) (sorted xs))
      / (size xs + Z.of_nat l - 2 * Z.of_nat r))%Z (seq 0 (S l))).

Definition mean_profile (xs : list Z) : profile :=
  let value := (unit * fold_right Z.add 0 xs / size xs)%Z in
  Profile value (fun l => match l with O => value | _ => 1000000000%Z end)
    (fun l => match l with O => value | _ => mean_lower xs l end).

Definition sixths : list Z := map (fun i => (10 * Z.of_nat i)%Z) (seq 0 25).

Definition mean_walk (xs : list Z) : transcript := walk 9 sixths (mean_profile xs) (Some 10%nat).

Definition three_losses : list Z := [0; 1; 4]%Z.
Definition two_losses : list Z := [0; 4]%Z.

Lemma computed_mean :
  (sum_q (3 # 4) (1 # 4) (mean_walk two_losses) 28 + power (3 # 4) 29
   < (3 # 4) * (1 # 4) * sum_q (3 # 4) (1 # 4) (mean_walk three_losses) 28)%Q.
Proof. vm_compute. reflexivity. Qed.

(** Between (0, 1, 4) and (0, 4) the loss is more than e1 + e2 at e1 = ln 4/3, e2 = ln 4. *)
Theorem means_are_not_monotone :
  exists e1 e2 xs ys, 0 <= e1 /\ 0 <= e2 /\ add_remove xs ys /\
  forall a b, probability e1 e2 (mean_walk xs) a -> probability e1 e2 (mean_walk ys) b ->
  exp (e1 + e2) * b < a.
Proof.
  assert (0 < Q2R (3 # 4) < 1) as P1 by (unfold Q2R; cbn; lra).
  assert (0 < Q2R (1 # 4) < 1) as P2 by (unfold Q2R; cbn; lra).
  exists (- ln (Q2R (3 # 4))), (- ln (Q2R (1 # 4))), three_losses, two_losses.
  split; [exact (e1_positive (3 # 4) P1)|]. split; [exact (e2_positive (1 # 4) P2)|].
  split; [right; exists 1%Z; apply perm_swap|].
  exact (refutation (3 # 4) (1 # 4) P1 P2 _ _ 28 computed_mean).
Qed.

(** * Bounds of sums, as printed: outputs that a neighbour never gives *)

(** The law of a table of lengths: what no level reaches has no weight. *)
Definition reaching (lower upper : nat -> Z) (depth : nat) (t : Z) : option nat :=
  find (fun l => (lower l <=? t)%Z && (t <=? upper l)%Z) (seq 0 (S depth)).

Definition length_weight (epsilon : R) (lower upper : nat -> Z) (depth : nat) (t : Z) : R :=
  match reaching lower upper depth t with
  | Some l => exp (- (epsilon / 2 * INR l))
  | None => 0
  end.

Definition total_of (xs : list Z) : Z := fold_right Z.add 0%Z xs.

(** Losses in [-1, 0]: sums of the upper bounds from i = l on, where i = l + 1 is right. *)
Definition printed_upper (xs : list Z) (l : nat) : Z :=
  match l with O => total_of xs | S l => total_of (skipn l (sorted xs)) end.
Definition loss_lower (xs : list Z) (l : nat) : Z :=
  (total_of (firstn (length xs - l) (sorted xs)) - Z.of_nat l)%Z.

(** Losses in [-1, 1]: bounds cut to 0 and the number of records beyond level 1, where -1 times the
    number is right. *)
Definition cut_lower (xs : list Z) (l : nat) : Z :=
  if Nat.ltb 1 l then 0%Z else loss_lower xs l.
Definition cut_upper (xs : list Z) (l : nat) : Z :=
  if Nat.ltb 1 l then size xs else (total_of (skipn l (sorted xs)) + Z.of_nat l)%Z.

Lemma never_given epsilon (lower upper lower' upper' : nat -> Z) depth ts t :
  In t ts -> reaching lower upper depth t <> None -> reaching lower' upper' depth t = None ->
  forall c, ~ close c ts (prob (length_weight epsilon lower upper depth) ts)
    (prob (length_weight epsilon lower' upper' depth) ts).
Proof.
  intros Hin H H' c C. specialize (C t Hin). unfold prob, Rdiv in C.
  replace (length_weight epsilon lower' upper' depth t) with 0 in C
    by (unfold length_weight; now rewrite H').
  rewrite Rmult_0_l, Rmult_0_r in C.
  assert (forall u, 0 <= length_weight epsilon lower upper depth u) as N.
  { intros u. unfold length_weight. destruct (reaching _ _ _ u); [left; apply exp_pos | lra]. }
  assert (0 < length_weight epsilon lower upper depth t) as P.
  { unfold length_weight. destruct (reaching _ _ _ t); [apply exp_pos | easy]. }
  assert (0 < total (length_weight epsilon lower upper depth) ts) as T.
  { clear - Hin N P. induction ts as [|u ts IH]; [easy|]. cbn [total].
    assert (0 <= total (length_weight epsilon lower upper depth) ts) as G.
    { clear - N. induction ts as [|u ts IH]; cbn [total]; [lra|]. specialize (N u). lra. }
    destruct Hin as [->|Hin]; [lra|]. specialize (IH Hin). specialize (N u). lra. }
  apply Rinv_0_lt_compat in T. nra.
Qed.

(** (-1, 0) against (-1, -1): the second never gives 0. *)
Theorem printed_sums_lose_without_limit : exists xs ys ts, replace_one xs ys /\
  forall epsilon c, ~ close c ts
    (prob (length_weight epsilon (loss_lower xs) (printed_upper xs) 2) ts)
    (prob (length_weight epsilon (loss_lower ys) (printed_upper ys) 2) ts).
Proof.
  exists [-1; 0]%Z, [-1; -1]%Z, [-2; -1; 0]%Z. split.
  - exists 0%Z, (-1)%Z, [-1]%Z. split; [apply perm_swap | easy].
  - intros epsilon. apply never_given with 0%Z; [cbn; tauto | easy | easy].
Qed.

(** (-1, -1, 0) against (-1, 0, 0): the second never gives -3. *)
Theorem truncated_sums_lose_without_limit : exists xs ys ts, replace_one xs ys /\
  forall epsilon c, ~ close c ts
    (prob (length_weight epsilon (cut_lower xs) (cut_upper xs) 3) ts)
    (prob (length_weight epsilon (cut_lower ys) (cut_upper ys) 3) ts).
Proof.
  exists [-1; -1; 0]%Z, [-1; 0; 0]%Z, [-3; -2; -1; 0; 1; 2; 3]%Z. split.
  - exists (-1)%Z, 0%Z, [-1; 0]%Z. split; [easy | apply perm_swap].
  - intros epsilon. apply never_given with (-3)%Z; [cbn; tauto | easy | easy].
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
