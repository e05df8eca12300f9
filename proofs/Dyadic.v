(** The dyadic-block sampler draws the law of the levels exactly.

    Model of [sampling/dyadic.py]: [LevelLaw.edge], [blocks_of], [Blocks.point], [draw_offset].
    Blocks are cut by a rational upper bound of ln 2, weighed by integers, and a proposed point is
    kept with probability 2^block exp(-E). Exp is a real number here: the coin that decides by an
    enclosure of it is in [Bernoulli.v]. *)

From Coq Require Import ZArith List Reals Lra Lia Bool.
From LeastNoise Require Import Law Score.
Import ListNotations.
Open Scope Z_scope.

(** * The constants of the code *)

Definition ln2_bits : Z := 64.
Definition ln2_upper : Z := 12786308645202655660.
Definition rest_bits : Z := 4.
Definition whole_levels : Z := 2.

(** * ln 2 <= ln2_upper / 2^64, by the series of exp *)

(** 2^256 x^n / n!, rounded down, for x = ln2_upper / 2^64. *)
Fixpoint power_term (n : nat) : Z :=
  match n with
  | O => 2 ^ 256
  | S m => power_term m * ln2_upper / (2 ^ ln2_bits * Z.of_nat n)
  end.

Fixpoint power_sum (n : nat) : Z :=
  match n with O => power_term 0 | S m => power_sum m + power_term n end.

Lemma power_sum_reaches_two : 2 * 2 ^ 256 <= power_sum 30.
Proof. vm_compute. discriminate. Qed.

Lemma power_term_nonneg n : 0 <= power_term n.
Proof.
  induction n as [|n IH]; [cbn; lia|]. cbn [power_term].
  apply Z.div_pos; [unfold ln2_upper; lia|]. unfold ln2_bits. lia.
Qed.

Definition block_size : R := IZR ln2_upper / IZR (2 ^ ln2_bits).

Lemma block_size_positive : (0 < block_size)%R.
Proof.
  unfold block_size. apply Rmult_lt_0_compat; [apply IZR_lt; reflexivity|].
  apply Rinv_0_lt_compat, IZR_lt. reflexivity.
Qed.

Lemma floor_le a b : 0 < b -> (IZR (a / b) <= IZR a / IZR b)%R.
Proof.
  intros Hb. pose proof (Z.mul_div_le a b Hb) as H. apply IZR_le in H.
  rewrite mult_IZR in H. apply IZR_lt in Hb.
  apply Rmult_le_reg_r with (IZR b); [easy|].
  replace (IZR a / IZR b * IZR b)%R with (IZR a) by (field; lra). lra.
Qed.

Lemma power_term_le n :
  (IZR (power_term n) <= IZR (2 ^ 256) * (/ INR (fact n) * block_size ^ n))%R.
Proof.
  induction n as [|n IH].
  - cbn [power_term fact pow]. change (INR 1) with 1%R. rewrite Rinv_1. lra.
  - cbn [power_term]. eapply Rle_trans; [apply floor_le; unfold ln2_bits; lia|].
    rewrite fact_simpl, mult_INR, <- tech_pow_Rmult.
    assert (0 < INR (S n))%R by apply lt_0_INR, Nat.lt_0_succ.
    assert (0 < INR (fact n))%R by apply INR_fact_lt_0.
    assert (0 < IZR (2 ^ ln2_bits))%R by (apply IZR_lt; reflexivity).
    rewrite !mult_IZR, <- INR_IZR_INZ.
    replace (IZR (power_term n) * IZR ln2_upper / (IZR (2 ^ ln2_bits) * INR (S n)))%R
      with (IZR (power_term n) * (block_size * / INR (S n)))%R by (unfold block_size; field; lra).
    replace (IZR (2 ^ 256) * (/ (INR (S n) * INR (fact n)) * (block_size * block_size ^ n)))%R
      with (IZR (2 ^ 256) * (/ INR (fact n) * block_size ^ n) * (block_size * / INR (S n)))%R
      by (field; lra).
    apply Rmult_le_compat_r; [|exact IH].
    pose proof block_size_positive.
    assert (0 < / INR (S n))%R by now apply Rinv_0_lt_compat. nra.
Qed.

Lemma power_sum_le n :
  (IZR (power_sum n) <= IZR (2 ^ 256) * sum_f_R0 (fun i => / INR (fact i) * block_size ^ i) n)%R.
Proof.
  induction n as [|n IH].
  - apply power_term_le.
  - cbn [power_sum sum_f_R0]. rewrite plus_IZR. pose proof (power_term_le (S n)). lra.
Qed.

Lemma exp_above_series x n : (0 <= x)%R ->
  (sum_f_R0 (fun i => / INR (fact i) * x ^ i) n <= exp x)%R.
Proof.
  intros Hx. unfold exp. destruct (exist_exp x) as [l Hl]. cbn.
  apply sum_incr; [exact Hl|]. intros i.
  apply Rmult_le_pos; [left; apply Rinv_0_lt_compat, INR_fact_lt_0 | now apply pow_le].
Qed.

Theorem two_below_exp : (2 <= exp block_size)%R.
Proof.
  pose proof block_size_positive.
  eapply Rle_trans; [|apply (exp_above_series block_size 30); lra].
  pose proof (power_sum_le 30) as P.
  pose proof (IZR_le _ _ power_sum_reaches_two) as Q. rewrite mult_IZR in Q.
  assert (0 < IZR (2 ^ 256))%R by (apply IZR_lt; reflexivity). nra.
Qed.

(** In block j, where E >= j ln2_upper / 2^64, a point is kept with a probability of at most 1. *)
Theorem kept_at_most_one j e : (INR j * block_size <= e)%R -> (0 <= 2 ^ j * exp (- e) <= 1)%R.
Proof.
  intros He. pose proof (pow_lt 2 j ltac:(lra)). pose proof (exp_pos (- e)).
  split; [nra|].
  assert (2 ^ j <= exp (INR j * block_size))%R as G.
  { clear He. induction j as [|j IH]; [cbn; rewrite Rmult_0_l, exp_0; lra|].
    rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus. cbn [pow].
    pose proof two_below_exp. pose proof (exp_pos (INR j * block_size)).
    pose proof (pow_lt 2 j ltac:(lra)). specialize (IH ltac:(lra)). nra. }
  apply Rle_trans with (exp e * exp (- e))%R.
  - apply Rmult_le_compat_r; [lra|]. eapply Rle_trans; [exact G | now apply exp_le].
  - rewrite <- exp_plus, Rplus_opp_r, exp_0. lra.
Qed.

(** * Tickets: integers below the total weight, each as likely *)

(** Block [b] of a list of [n] blocks weighs its points 2^(n - 1 - b) each. *)
Fixpoint tickets {A} (blocks : list (list A)) : list (nat * A) :=
  match blocks with
  | [] => []
  | block :: rest =>
      flat_map (fun y => repeat (O, y) (2 ^ length rest)) block
      ++ map (fun t => (S (fst t), snd t)) (tickets rest)
  end.

(** [draw_offset]: the block and the place in it that a ticket falls on. *)
Fixpoint place (weights : list nat) (ticket : nat) : nat * nat :=
  match weights with
  | [] => (O, O)
  | w :: rest =>
      if Nat.ltb ticket w then (O, Nat.div ticket (2 ^ length rest))
      else let found := place rest (ticket - w) in (S (fst found), snd found)
  end.

Fixpoint weights_of {A} (blocks : list (list A)) : list nat :=
  match blocks with
  | [] => []
  | block :: rest => (length block * 2 ^ length rest)%nat :: weights_of rest
  end.

Lemma weights_length {A} (blocks : list (list A)) : length (weights_of blocks) = length blocks.
Proof. induction blocks; cbn; auto. Qed.

Lemma length_flat_repeat {A B} (f : A -> B) n (ys : list A) :
  length (flat_map (fun y => repeat (f y) n) ys) = (length ys * n)%nat.
Proof. induction ys as [|y ys IH]; cbn; [easy|]. now rewrite app_length, repeat_length, IH. Qed.

Lemma nth_flat_repeat {A} (ys : list A) n t d : (0 < n)%nat -> (t < length ys * n)%nat ->
  nth t (flat_map (fun y => repeat (O, y) n) ys) (O, d) = (O, nth (t / n) ys d).
Proof.
  intros Hn. revert t. induction ys as [|y ys IH]; cbn [length flat_map]; intros t Ht; [lia|].
  destruct (Nat.lt_ge_cases t n) as [L|L].
  - rewrite app_nth1 by (now rewrite repeat_length). rewrite Nat.div_small by easy. cbn [nth].
    rewrite (nth_indep _ _ (O, y)) by (now rewrite repeat_length). apply nth_repeat.
  - rewrite app_nth2, repeat_length by (now rewrite repeat_length).
    replace t with ((t - n) + 1 * n)%nat at 2 by lia.
    rewrite Nat.div_add by lia. rewrite Nat.add_1_r. cbn [nth]. apply IH. lia.
Qed.

Lemma tickets_length {A} (blocks : list (list A)) :
  length (tickets blocks) = list_sum (weights_of blocks).
Proof.
  induction blocks as [|block rest IH]; cbn [tickets weights_of list_sum fold_right]; [easy|].
  now rewrite app_length, map_length, IH, length_flat_repeat.
Qed.

(** The code's arithmetic finds the ticket's point. *)
Theorem place_spec {A} (blocks : list (list A)) t d : (t < list_sum (weights_of blocks))%nat ->
  let found := place (weights_of blocks) t in
  nth t (tickets blocks) (O, d) = (fst found, nth (snd found) (nth (fst found) blocks []) d).
Proof.
  revert t. induction blocks as [|block rest IH]; cbn [weights_of list_sum fold_right]; intros t Ht;
    [lia|].
  cbn [place tickets]. rewrite weights_length.
  assert (0 < 2 ^ length rest)%nat as Hp by (pose proof (Nat.pow_nonzero 2 (length rest)); lia).
  destruct (Nat.ltb_spec t (length block * 2 ^ length rest)) as [L|L]; cbn [fst snd nth].
  - rewrite app_nth1 by (now rewrite length_flat_repeat). now apply nth_flat_repeat.
  - rewrite app_nth2, length_flat_repeat by (now rewrite length_flat_repeat).
    change (O, d) with ((O, d) : nat * A).
    set (t' := (t - length block * 2 ^ length rest)%nat) in *.
    assert (t' < list_sum (weights_of rest))%nat as H by (unfold list_sum; lia).
    rewrite (nth_indep _ _ ((fun t => (S (fst t), snd t)) (O, d)))
      by (now rewrite map_length, tickets_length).
    rewrite (map_nth (fun t => (S (fst t), snd t))). rewrite (IH t' H). reflexivity.
Qed.

(** * A sum over tickets is a sum over points, each times its number of tickets *)

Open Scope R_scope.

Lemma total_app {A} (f : A -> R) xs ys : total f (xs ++ ys) = total f xs + total f ys.
Proof. induction xs as [|x xs IH]; cbn; [lra|]. rewrite IH. lra. Qed.

Lemma total_map {A B} (f : B -> R) (g : A -> B) xs :
  total f (map g xs) = total (fun x => f (g x)) xs.
Proof. induction xs as [|x xs IH]; cbn; [easy|]. now rewrite IH. Qed.

Lemma total_repeat {A} (f : A -> R) x n : total f (repeat x n) = INR n * f x.
Proof. induction n as [|n IH]; cbn [repeat total]; [cbn; lra|]. rewrite IH, S_INR. lra. Qed.

(** The chance of a point of block b: 2^(top - b) tickets of all. *)
Fixpoint ticket_weight {A} (f : nat -> A -> R) (b : nat) (blocks : list (list A)) : R :=
  match blocks with
  | [] => 0
  | block :: rest => total (fun y => INR (2 ^ length rest) * f b y) block + ticket_weight f (S b) rest
  end.

Theorem tickets_total {A} (f : nat -> A -> R) blocks b :
  total (fun t => f (b + fst t)%nat (snd t)) (tickets blocks) = ticket_weight f b blocks.
Proof.
  revert b. induction blocks as [|block rest IH]; intros b; cbn [tickets ticket_weight]; [easy|].
  rewrite total_app, total_map. cbn [fst snd]. f_equal.
  - induction block as [|y block IHb]; cbn [flat_map total]; [easy|].
    rewrite total_app, total_repeat, IHb. cbn [fst snd]. now rewrite Nat.add_0_r.
  - rewrite <- IH. apply total_ext. intros t _. now rewrite Nat.add_succ_r.
Qed.

(** Trials that all fail, and then one that ends: c (1 - s)^i sums to c / s. *)
Lemma geometric_series c s : 0 < s -> s <= 1 ->
  infinite_sum (fun i => (1 - s) ^ i * c) (c / s).
Proof.
  intros S U. set (x := 1 - s).
  assert (Rabs x < 1) as Hx by (apply Rabs_def1; subst x; lra).
  pose proof (GP_infinite x Hx) as G. unfold Pser in G.
  replace (c / s) with (c * / (1 - x)) by (subst x; field; lra).
  intros eps He. destruct (G (eps / (Rabs c + 1))) as [n Hn].
  { apply Rmult_lt_0_compat; [easy|]. apply Rinv_0_lt_compat. pose proof (Rabs_pos c). lra. }
  exists n. intros m Hm. specialize (Hn m Hm). unfold R_dist in *.
  replace (sum_f_R0 (fun i => x ^ i * c) m) with (c * sum_f_R0 (fun i => 1 * x ^ i) m).
  2:{ rewrite scal_sum. apply sum_eq. intros i _. ring. }
  replace (c * sum_f_R0 (fun i => 1 * x ^ i) m - c * / (1 - x))
    with (c * (sum_f_R0 (fun i => 1 * x ^ i) m - / (1 - x))) by ring.
  rewrite Rabs_mult. pose proof (Rabs_pos c).
  apply Rle_lt_trans with ((Rabs c + 1) * Rabs (sum_f_R0 (fun i => 1 * x ^ i) m - / (1 - x))).
  - apply Rmult_le_compat_r; [apply Rabs_pos | lra].
  - apply Rmult_lt_reg_r with (/ (Rabs c + 1)); [apply Rinv_0_lt_compat; lra|].
    replace ((Rabs c + 1) * Rabs (sum_f_R0 (fun i => 1 * x ^ i) m - / (1 - x)) * / (Rabs c + 1))
      with (Rabs (sum_f_R0 (fun i => 1 * x ^ i) m - / (1 - x))) by (field; lra). exact Hn.
Qed.

(** The whole sampler over points in blocks: a ticket, its point, a coin of 2^b exp(-E), again. *)
Section Sampler.
Context {A : Type}.
Variable blocks : list (list A).
Variable e : A -> R.
Hypothesis above_block : forall b block y,
  nth_error blocks b = Some block -> In y block -> INR b * block_size <= e y.

Definition one_ticket (_ : nat * A) : R := / INR (length (tickets blocks)).

Definition coin (t : nat * A) : R := 2 ^ fst t * exp (- e (snd t)).

Lemma tickets_in (bs : list (list A)) t : In t (tickets bs) ->
  exists block, nth_error bs (fst t) = Some block /\ In (snd t) block.
Proof.
  revert t. induction bs as [|block rest IH]; cbn [tickets]; intros t Ht; [easy|].
  apply in_app_or in Ht. destruct Ht as [Ht|Ht].
  - apply in_flat_map in Ht. destruct Ht as (y & Hy & Hr). apply repeat_spec in Hr. subst t.
    now exists block.
  - apply in_map_iff in Ht. destruct Ht as (u & <- & Hu). cbn [fst snd nth_error]. now apply IH.
Qed.

Lemma coin_unit t : In t (tickets blocks) -> 0 <= coin t <= 1.
Proof.
  intros Ht. destruct (tickets_in blocks t Ht) as (block & H & Hy).
  apply kept_at_most_one. now apply above_block with block.
Qed.

(** Weighing a ticket by its coin weighs every point by exp(-E), whatever its block. *)
Lemma coins_of_points (f : A -> R) (bs : list (list A)) b :
  ticket_weight (fun b y => 2 ^ b * exp (- e y) * f y) b bs =
    2 ^ (b + length bs) * / 2 * total (fun y => exp (- e y) * f y) (concat bs).
Proof.
  revert b. induction bs as [|block rest IH]; intros b; cbn [ticket_weight concat length].
  - cbn. lra.
  - rewrite total_app, IH, Rmult_plus_distr_l. f_equal.
    + rewrite <- total_scale. apply total_ext. intros y _.
      rewrite pow_INR. change (INR 2) with 2. rewrite Nat.add_succ_r. cbn [pow].
      rewrite pow_add. field.
    + f_equal. f_equal. f_equal. lia.
Qed.

(** The mass of one trial that ends with a point for which [f] is 1, and elsewhere 0. *)
Theorem trial_mass (f : A -> R) :
  total (fun t => one_ticket t * coin t * f (snd t)) (tickets blocks) =
    / INR (length (tickets blocks)) * (2 ^ length blocks * / 2)
    * total (fun y => exp (- e y) * f y) (concat blocks).
Proof.
  rewrite (total_ext _ (fun t => / INR (length (tickets blocks)) *
    (2 ^ (0 + fst t) * exp (- e (snd t)) * f (snd t)))).
  2:{ intros t _. unfold one_ticket, coin. cbn [Nat.add]. ring. }
  rewrite total_scale, (tickets_total (fun b y => 2 ^ b * exp (- e y) * f y)), coins_of_points.
  cbn [Nat.add]. ring.
Qed.

(** What the loop gives: trial after trial, until one is kept. *)
Definition ends_at (f : A -> R) (i : nat) : R :=
  (1 - total (fun t => one_ticket t * coin t) (tickets blocks)) ^ i
  * total (fun t => one_ticket t * coin t * f (snd t)) (tickets blocks).

(** Theorem (e). The output's law is exp(-E) over its sum: exact, whatever the blocks are. *)
Theorem sampler_law (f : A -> R) : concat blocks <> [] ->
  infinite_sum (ends_at f)
    (total (fun y => exp (- e y) * f y) (concat blocks)
     / total (fun y => exp (- e y)) (concat blocks)).
Proof.
  intros Hne.
  set (s := total (fun t => one_ticket t * coin t) (tickets blocks)).
  set (c := total (fun t => one_ticket t * coin t * f (snd t)) (tickets blocks)).
  assert (0 < total (fun y => exp (- e y)) (concat blocks)) as T.
  { destruct (concat blocks) as [|y ys]; [easy|].
    apply (total_positive _ _ y); [now left|]. intros; apply exp_pos. }
  assert (tickets blocks <> []) as Htick.
  { destruct blocks as [|b bs] eqn:E; [easy|]. intros F. apply Hne. clear - F.
    revert F. generalize (b :: bs) as l. induction l as [|x l IH]; cbn; [easy|]. intros F.
    apply app_eq_nil in F. destruct F as [F G]. apply map_eq_nil in G. rewrite (IH G), app_nil_r.
    destruct x as [|y x]; [easy|]. cbn in F.
    assert (0 < 2 ^ length l)%nat by (pose proof (Nat.pow_nonzero 2 (length l)); lia).
    destruct (2 ^ length l)%nat; [lia | easy]. }
  assert (0 < INR (length (tickets blocks))) as N.
  { apply lt_0_INR. destruct (tickets blocks); [easy | cbn; lia]. }
  set (k := / INR (length (tickets blocks)) * (2 ^ length blocks * / 2)).
  assert (0 < k) as K.
  { subst k. apply Rmult_lt_0_compat; [now apply Rinv_0_lt_compat|].
    pose proof (pow_lt 2 (length blocks) ltac:(lra)). lra. }
  assert (s = k * total (fun y => exp (- e y)) (concat blocks)) as S.
  { subst s. rewrite (total_ext _ (fun t => one_ticket t * coin t * (fun _ => 1) (snd t)))
      by (intros; lra). rewrite (trial_mass (fun _ => 1)). subst k. f_equal.
    apply total_ext. intros; lra. }
  assert (c = k * total (fun y => exp (- e y) * f y) (concat blocks)) as C by apply trial_mass.
  assert (0 < s) as Spos by (rewrite S; nra).
  assert (s <= 1) as S1.
  { apply Rle_trans with (total one_ticket (tickets blocks)).
    - rewrite <- (Rmult_1_l (total one_ticket _)). apply total_le. intros t Ht.
      pose proof (coin_unit t Ht). unfold one_ticket.
      assert (0 < / INR (length (tickets blocks))) by now apply Rinv_0_lt_compat. nra.
    - assert (forall ts x, total (fun _ : nat * A => x) ts = INR (length ts) * x) as G.
      { induction ts as [|t ts IH]; intros x; cbn [total length]; [cbn; lra|].
        rewrite IH, S_INR. lra. }
      unfold one_ticket. rewrite G. right. field. lra. }
  replace (total (fun y => exp (- e y) * f y) (concat blocks)
    / total (fun y => exp (- e y)) (concat blocks)) with (c / s).
  2:{ rewrite C, S. field. lra. }
  exact (geometric_series c s Spos S1).
Qed.

End Sampler.
