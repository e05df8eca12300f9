(** A coin whose probability is a certified real number, decided by one uniform.

    Model of [randomness.py] ([extended], [bernoulli_real], [bernoulli_exp],
    [bernoulli_scaled]): the uniform is revealed in words of 64 bits, and each time an enclosure of
    the probability is asked whether it decides. The enclosure is an interface; that of exp by its
    series is one. *)

From Coq Require Import ZArith List Reals Lra Lia Bool.
From LeastNoise Require Import Law Dyadic Blocks.
Import ListNotations.
Open Scope Z_scope.

(** * The model *)

Definition word_bits : Z := 64.

Definition bits (words : nat) : Z := word_bits * Z.of_nat words.

Section Coin.

(** After [k] words, whose number is [u]: does it prove U < x, does it prove U >= x? *)
Variable yes no : nat -> Z -> bool.

(** The loop, on the [words] that there will be at most: at each stage it sees a prefix of the same
    number, never a new one. *)
Fixpoint extend (todo k : nat) (number : Z) : option bool :=
  match todo with
  | O => None
  | S todo =>
      let u := number / 2 ^ bits todo in
      if yes k u then Some true else if no k u then Some false else extend todo (S k) number
  end.

Definition verdict (words : nat) (number : Z) : option bool := extend words 1 number.

Definition says (answer : option bool) (words : nat) (number : Z) : bool :=
  match verdict words number, answer with
  | Some a, Some b => eqb a b
  | None, None => true
  | _, _ => false
  end.

(** How many of the 2^(64 words) numbers, each as likely, give an answer. *)
Definition count (answer : option bool) (words : nat) : nat :=
  length (filter (says answer words) (zrange 0 (2 ^ bits words))).

Variable x : R.
Hypothesis x_unit : (0 <= x <= 1)%R.
Variable width : Z.
Hypothesis yes_proves : forall k u, yes k u = true -> (IZR u + 1 <= IZR (2 ^ bits k) * x)%R.
Hypothesis no_proves : forall k u, no k u = true -> (IZR (2 ^ bits k) * x <= IZR u)%R.
(** Few numbers decide nothing. *)
Variable low high : nat -> Z.
Hypothesis undecided : forall k u, yes k u = false -> no k u = false -> low k <= u < high k.
Hypothesis narrow : forall k, high k - low k <= width.

Lemma bits_split a b : 2 ^ bits (a + b) = 2 ^ bits a * 2 ^ bits b.
Proof. rewrite <- Z.pow_add_r; unfold bits, word_bits; [f_equal; lia | lia | lia]. Qed.

Lemma bits_positive a : 0 < 2 ^ bits a.
Proof. apply Z.pow_pos_nonneg; unfold bits, word_bits; lia. Qed.

(** A prefix in [u, u + 1) holds the whole number. *)
Lemma prefix number todo : let u := number / 2 ^ bits todo in
  u * 2 ^ bits todo <= number /\ number + 1 <= (u + 1) * 2 ^ bits todo.
Proof.
  pose proof (bits_positive todo) as P. cbv zeta. split.
  - rewrite Z.mul_comm. now apply Z.mul_div_le.
  - pose proof (Z.mul_succ_div_gt number (2 ^ bits todo) P) as G.
    replace ((number / 2 ^ bits todo + 1) * 2 ^ bits todo)
      with (2 ^ bits todo * Z.succ (number / 2 ^ bits todo)) by ring. lia.
Qed.

Lemma extend_proves todo : forall k number, (1 <= k)%nat ->
  let whole := 2 ^ bits (k - 1 + todo) in
  (extend todo k number = Some true -> (IZR number + 1 <= IZR whole * x)%R) /\
  (extend todo k number = Some false -> (IZR whole * x <= IZR number)%R) /\
  (extend todo k number = None -> todo <> O -> low (k - 1 + todo) <= number < high (k - 1 + todo)).
Proof.
  induction todo as [|todo IH]; intros k number Hk; cbn [extend]; [easy|].
  destruct (prefix number todo) as [A B]. set (u := number / 2 ^ bits todo) in *.
  replace (k - 1 + S todo)%nat with (k + todo)%nat by lia.
  pose proof (bits_positive todo) as P. apply IZR_lt in P.
  destruct (yes k u) eqn:Y.
  { split; [|easy]. intros _. specialize (yes_proves k u Y). cbn zeta.
    rewrite bits_split, mult_IZR. apply IZR_le in B. rewrite plus_IZR, mult_IZR, plus_IZR in B.
    replace (IZR (2 ^ bits k) * IZR (2 ^ bits todo) * x)%R
      with (IZR (2 ^ bits k) * x * IZR (2 ^ bits todo))%R by ring.
    apply Rle_trans with ((IZR u + 1) * IZR (2 ^ bits todo))%R; [lra|].
    apply Rmult_le_compat_r; lra. }
  destruct (no k u) eqn:N.
  { split; [easy|]. split; [|easy]. intros _. specialize (no_proves k u N). cbn zeta.
    rewrite bits_split, mult_IZR. apply IZR_le in A. rewrite mult_IZR in A.
    replace (IZR (2 ^ bits k) * IZR (2 ^ bits todo) * x)%R
      with (IZR (2 ^ bits k) * x * IZR (2 ^ bits todo))%R by ring.
    apply Rle_trans with (IZR u * IZR (2 ^ bits todo))%R; [|lra].
    apply Rmult_le_compat_r; lra. }
  specialize (IH (S k) number ltac:(lia)). cbn zeta in IH.
  replace (S k - 1 + todo)%nat with (k + todo)%nat in IH by lia.
  destruct IH as (I1 & I2 & I3). split; [easy|]. split; [easy|].
  intros E _. destruct todo as [|todo]; [|now apply I3].
  pose proof (undecided k u Y N) as U. rewrite Nat.add_0_r.
  subst u. unfold bits in U. rewrite Z.mul_0_r, Z.div_1_r in U. exact U.
Qed.

Lemma length_zrange a b : Z.of_nat (length (zrange a b)) = Z.max 0 (b - a).
Proof. unfold zrange. rewrite map_length, seq_length. lia. Qed.

Lemma count_within answer words a b : a <= b ->
  (forall u, 0 <= u < 2 ^ bits words -> says answer words u = true -> a <= u < b) ->
  Z.of_nat (count answer words) <= b - a.
Proof.
  intros Hab H. unfold count.
  assert (length (filter (says answer words) (zrange 0 (2 ^ bits words))) <= length (zrange a b))%nat
    as L.
  { apply NoDup_incl_length; [apply NoDup_filter, nodup_zrange|].
    intros u Hu. apply filter_In in Hu. destruct Hu as [Hu S]. apply in_zrange in Hu.
    apply in_zrange. now apply H. }
  apply Nat2Z.inj_le in L. rewrite length_zrange in L. lia.
Qed.

Lemma count_all words :
  Z.of_nat (count (Some true) words) + Z.of_nat (count (Some false) words)
    + Z.of_nat (count None words) = 2 ^ bits words.
Proof.
  transitivity (Z.of_nat (length (zrange 0 (2 ^ bits words)))).
  - unfold count. induction (zrange 0 (2 ^ bits words)) as [|u us IH]; [easy|].
    assert (says (Some true) words u = true /\ says (Some false) words u = false
        /\ says None words u = false \/
      says (Some true) words u = false /\ says (Some false) words u = true
        /\ says None words u = false \/
      says (Some true) words u = false /\ says (Some false) words u = false
        /\ says None words u = true) as O.
    { unfold says. destruct (verdict words u) as [[|]|]; cbn; tauto. }
    cbn [filter]. destruct O as [(-> & -> & ->)|[(-> & -> & ->)|(-> & -> & ->)]];
      cbn [length]; lia.
  - rewrite length_zrange. pose proof (bits_positive words). lia.
Qed.

(** Few numbers are left undecided. *)
Lemma undecided_few words : (1 <= words)%nat -> Z.of_nat (count None words) <= Z.max 0 width.
Proof.
  intros Hw.
  assert (forall u, says None words u = true -> low words <= u < high words) as N.
  { intros u H. destruct (extend_proves words 1 u ltac:(lia)) as (_ & _ & A).
    cbn [Nat.sub Nat.add] in A. apply A; [|lia].
    unfold says, verdict in H. destruct (extend words 1 u) as [[|]|]; easy. }
  destruct (Z.le_gt_cases (low words) (high words)) as [L|L].
  - specialize (narrow words).
    enough (Z.of_nat (count None words) <= high words - low words) by lia.
    apply count_within; [easy|]. intros u Hu H. now apply N.
  - enough (Z.of_nat (count None words) <= 0 - 0) by lia.
    apply count_within; [easy|]. intros u Hu H. apply N in H. lia.
Qed.

(** After any number of words: the coin has said yes with probability x, but for what is still
    undecided. *)
Theorem coin_bounds words : (1 <= words)%nat ->
  let whole := IZR (2 ^ bits words) in
  (INR (count (Some true) words) <= whole * x)%R /\
  (whole * x - IZR (Z.max 0 width) - 1 <= INR (count (Some true) words))%R.
Proof.
  intros Hw. cbn zeta. rewrite INR_IZR_INZ. set (y := (IZR (2 ^ bits words) * x)%R).
  destruct (archimed y) as [U1 U2]. pose proof (bits_positive words) as P.
  assert (0 <= y <= IZR (2 ^ bits words))%R as Y by (apply IZR_lt in P; unfold y; nra).
  assert (0 < up y) as Up by (apply lt_IZR; lra).
  assert (up y <= 2 ^ bits words + 1) as Up'.
  { enough (up y < 2 ^ bits words + 2) by lia. apply lt_IZR. rewrite plus_IZR. lra. }
  assert (forall answer u, says answer words u = true -> verdict words u = answer) as S.
  { intros answer u. unfold says. destruct (verdict words u) as [[|]|], answer as [[|]|]; easy. }
  assert (forall u, verdict words u = Some true -> (IZR u + 1 <= y)%R) as T.
  { intros u H. destruct (extend_proves words 1 u ltac:(lia)) as (A & _). now apply A. }
  assert (forall u, verdict words u = Some false -> (y <= IZR u)%R) as F.
  { intros u H. destruct (extend_proves words 1 u ltac:(lia)) as (_ & A & _). now apply A. }
  pose proof (count_all words) as All.
  assert (Z.of_nat (count (Some true) words) <= up y - 1 - 0) as A.
  { apply count_within; [lia|]. intros u Hu H. apply S, T in H. split; [lia|].
    enough (u + 1 < up y) by lia. apply lt_IZR. rewrite plus_IZR. lra. }
  assert (Z.of_nat (count (Some false) words) <= 2 ^ bits words - (up y - 1)) as B.
  { apply count_within; [lia|]. intros u Hu H. apply S, F in H. split; [|lia].
    enough (up y < u + 2) by lia. apply lt_IZR. rewrite plus_IZR. lra. }
  pose proof (undecided_few words Hw) as C.
  split.
  - apply IZR_le in A. rewrite Z.sub_0_r, minus_IZR in A. lra.
  - assert (up y - 1 - Z.max 0 width <= Z.of_nat (count (Some true) words)) as D by lia.
    apply IZR_le in D. rewrite !minus_IZR in D. lra.
Qed.

(** The coin's probability: the share of numbers that say yes, in the limit. *)
Theorem coin_law :
  Un_cv (fun words => INR (count (Some true) words) / IZR (2 ^ bits words))%R x.
Proof.
  intros eps He. set (c := (IZR (Z.max 0 width) + 1)%R).
  assert (0 < c)%R as Hc.
  { unfold c. assert (0 <= IZR (Z.max 0 width))%R by (apply IZR_le; lia). lra. }
  destruct (archimed_cor1 (eps / c)) as (n & Hn & Hn0).
  { apply Rmult_lt_0_compat; [easy | now apply Rinv_0_lt_compat]. }
  exists n. intros words Hwords. destruct (coin_bounds words ltac:(lia)) as [A B].
  cbn zeta in A, B. set (whole := IZR (2 ^ bits words)) in *.
  assert (INR n <= whole)%R as W.
  { unfold whole. rewrite INR_IZR_INZ. apply IZR_le.
    apply Z.le_trans with (bits words).
    - unfold bits, word_bits. lia.
    - apply Z.lt_le_incl, Z.pow_gt_lin_r; [lia|]. unfold bits, word_bits. lia. }
  assert (0 < INR n)%R by (now apply lt_0_INR).
  unfold R_dist. apply Rle_lt_trans with (c / whole)%R.
  - apply Rabs_le. split; apply Rmult_le_reg_r with whole; try lra.
    + replace ((INR (count (Some true) words) / whole - x) * whole)%R
        with (INR (count (Some true) words) - whole * x)%R by (field; lra).
      replace (- (c / whole) * whole)%R with (- c)%R by (field; lra). unfold c. lra.
    + replace ((INR (count (Some true) words) / whole - x) * whole)%R
        with (INR (count (Some true) words) - whole * x)%R by (field; lra).
      replace (c / whole * whole)%R with c by (field; lra). unfold c in *. lra.
  - apply Rle_lt_trans with (c * / INR n)%R.
    + apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
    + replace eps with (c * (eps / c))%R by (field; lra). apply Rmult_lt_compat_l; lra.
Qed.

(** What is at most a number is a share that vanishes as words are added. *)
Lemma share_vanishes (g : nat -> R) c : (forall words, (1 <= words)%nat -> 0 <= g words <= c)%R ->
  Un_cv (fun words => g words / IZR (2 ^ bits words))%R 0%R.
Proof.
  intros H eps He. assert (0 <= c)%R as Hc by (destruct (H 1%nat ltac:(lia)); lra).
  destruct (archimed_cor1 (eps / (c + 1))) as (n & Hn & Hn0).
  { apply Rmult_lt_0_compat; [easy | apply Rinv_0_lt_compat; lra]. }
  exists n. intros words Hwords. destruct (H words ltac:(lia)) as [A B].
  assert (INR n <= IZR (2 ^ bits words))%R as W.
  { rewrite INR_IZR_INZ. apply IZR_le. apply Z.le_trans with (bits words).
    - unfold bits, word_bits. lia.
    - apply Z.lt_le_incl, Z.pow_gt_lin_r; [lia|]. unfold bits, word_bits. lia. }
  assert (0 < INR n)%R by (now apply lt_0_INR).
  set (whole := IZR (2 ^ bits words)) in *. assert (0 < / whole)%R by (apply Rinv_0_lt_compat; lra).
  unfold R_dist, Rdiv. rewrite Rminus_0_r, Rabs_right by nra.
  apply Rle_lt_trans with ((c + 1) * / INR n)%R.
  - apply Rmult_le_compat; try lra. apply Rinv_le_contravar; lra.
  - apply Rlt_le_trans with ((c + 1) * (eps / (c + 1)))%R.
    + apply Rmult_lt_compat_l; lra.
    + right. field. lra.
Qed.

(** It says no with the rest. *)
Theorem coin_law_no :
  Un_cv (fun words => INR (count (Some false) words) / IZR (2 ^ bits words))%R (1 - x)%R.
Proof.
  assert (Un_cv (fun words => INR (count None words) / IZR (2 ^ bits words))%R 0%R) as N.
  { apply share_vanishes with (IZR (Z.max 0 width)). intros words Hw. split; [apply pos_INR|].
    rewrite INR_IZR_INZ. now apply IZR_le, undecided_few. }
  pose proof (CV_minus _ _ _ _ (CV_minus (fun _ => 1%R) _ 1%R x
    ltac:(intros eps He; exists O; intros; unfold R_dist; rewrite Rminus_diag_eq, Rabs_R0; easy)
    coin_law) N) as L.
  rewrite Rminus_0_r in L. intros eps He. destruct (L eps He) as [n Hn]. exists n. intros words Hw.
  specialize (Hn words Hw).
  replace (INR (count (Some false) words) / IZR (2 ^ bits words))%R
    with (1 - INR (count (Some true) words) / IZR (2 ^ bits words)
      - INR (count None words) / IZR (2 ^ bits words))%R; [exact Hn|].
  pose proof (bits_positive words) as P. apply IZR_lt in P.
  pose proof (count_all words) as All. apply (f_equal IZR) in All. rewrite !plus_IZR in All.
  rewrite <- !INR_IZR_INZ in All. rewrite <- All in *. field. lra.
Qed.

End Coin.

(** * An enclosure, as the code gives it: lo <= 2^bits x <= hi, hi - lo bounded *)

Definition below (lo : nat -> Z) (k : nat) (u : Z) : bool := u <? lo k.
Definition above (hi : nat -> Z) (k : nat) (u : Z) : bool := hi k <=? u.

(** What the coin asks of the arithmetic of exp, and all that it asks. *)
Definition encloses (lo hi : nat -> Z) (width : Z) (x : R) : Prop := forall k,
  (IZR (lo k) <= IZR (2 ^ bits k) * x <= IZR (hi k))%R /\ hi k - lo k <= width.

Definition share (yes no : nat -> Z -> bool) (answer : bool) (words : nat) : R :=
  (INR (count yes no (Some answer) words) / IZR (2 ^ bits words))%R.

(** [bernoulli_real]: it says yes with probability x, and no with the rest. *)
Theorem bernoulli_real_law (lo hi : nat -> Z) x width :
  (0 <= x <= 1)%R -> encloses lo hi width x ->
  Un_cv (share (below lo) (above hi) true) x /\ Un_cv (share (below lo) (above hi) false) (1 - x)%R.
Proof.
  intros Hx He.
  assert (forall k u, below lo k u = true -> (IZR u + 1 <= IZR (2 ^ bits k) * x)%R) as Y.
  { intros k u H. apply Z.ltb_lt in H. destruct (He k) as [E _].
    assert (IZR (u + 1) <= IZR (lo k))%R by (apply IZR_le; lia). rewrite plus_IZR in *. lra. }
  assert (forall k u, above hi k u = true -> (IZR (2 ^ bits k) * x <= IZR u)%R) as N.
  { intros k u H. apply Z.leb_le in H. destruct (He k) as [E _]. apply IZR_le in H. lra. }
  assert (forall k u, below lo k u = false -> above hi k u = false -> lo k <= u < hi k) as U.
  { unfold below, above. intros k u H1 H2. apply Z.ltb_ge in H1. apply Z.leb_gt in H2. lia. }
  assert (forall k, hi k - lo k <= width) as W by (intros k; apply He).
  split; [exact (coin_law _ _ x Hx width Y N lo hi U W) | exact (coin_law_no _ _ x Hx width Y N lo hi U W)].
Qed.

(** [bernoulli_scaled]: min(1, 2^shift exp(-p/q)). *)
Theorem bernoulli_scaled_law (lo hi : nat -> Z) shift e width :
  let x := Rmin 1 (2 ^ shift * exp (- e)) in
  encloses lo hi width x -> Un_cv (share (below lo) (above hi) true) x.
Proof.
  intros x H. apply (bernoulli_real_law lo hi x width); [|easy]. unfold x.
  pose proof (pow_lt 2 shift ltac:(lra)). pose proof (exp_pos (- e)).
  split; [apply Rmin_glb; nra | apply Rmin_l].
Qed.

(** [bernoulli_exp]: the first word may be settled by 1 - p/q <= exp(-p/q) alone. *)
Theorem bernoulli_exp_law (lo hi : nat -> Z) p q width :
  0 <= p -> 0 < q ->
  let x := exp (- (IZR p / IZR q)) in
  encloses lo hi width x ->
  let yes k u := (Nat.eqb k 1 && ((u + 1) * q <=? (q - p) * 2 ^ bits k)) || below lo k u in
  Un_cv (share yes (above hi) true) x.
Proof.
  intros Hp Hq x En yes.
  assert (forall k, (IZR (lo k) <= IZR (2 ^ bits k) * x <= IZR (hi k))%R) as He by (intros k; apply En).
  assert (forall k, hi k - lo k <= width) as Hw by (intros k; apply En).
  assert (0 < IZR q)%R as Q by now apply IZR_lt.
  assert (0 <= IZR p)%R as P by now apply IZR_le.
  assert (0 <= IZR p / IZR q)%R as PQ.
  { apply Rmult_le_pos; [easy | left; now apply Rinv_0_lt_compat]. }
  assert (0 <= x <= 1)%R as Hx.
  { unfold x. split; [left; apply exp_pos|]. rewrite <- exp_0. apply exp_le. lra. }
  assert (1 - IZR p / IZR q <= x)%R as Lin.
  { unfold x. pose proof (exp_ineq1_le (- (IZR p / IZR q))). lra. }
  apply (coin_law _ _ x Hx width) with (low := lo) (high := hi); auto.
  - intros k u H. apply orb_true_iff in H. destruct H as [H|H].
    + apply andb_true_iff in H. destruct H as [_ H]. apply Z.leb_le, IZR_le in H.
      rewrite !mult_IZR, plus_IZR, minus_IZR in H.
      pose proof (bits_positive k) as B. apply IZR_lt in B.
      apply Rle_trans with (IZR (2 ^ bits k) * (1 - IZR p / IZR q))%R.
      * apply Rmult_le_reg_r with (IZR q); [easy|].
        replace (IZR (2 ^ bits k) * (1 - IZR p / IZR q) * IZR q)%R
          with ((IZR q - IZR p) * IZR (2 ^ bits k))%R by (field; lra). exact H.
      * apply Rmult_le_compat_l; lra.
    + apply Z.ltb_lt in H. specialize (He k).
      assert (IZR (u + 1) <= IZR (lo k))%R by (apply IZR_le; lia). rewrite plus_IZR in *. lra.
  - intros k u H. apply Z.leb_le in H. specialize (He k). apply IZR_le in H. lra.
  - intros k u H1 H2. apply orb_false_iff in H1. destruct H1 as [_ H1].
    apply Z.ltb_ge in H1. apply Z.leb_gt in H2. lia.
Qed.

(** * exp(-x) by its series, 0 <= x <= 1: partial sums on either side *)

Definition series (x : R) (n : nat) : R := sum_f_R0 (tg_alt (fun i => / INR (fact i) * x ^ i)%R) n.

Lemma exp_between x n : (0 <= x <= 1)%R ->
  (series x (S (2 * n)) <= exp (- x) <= series x (2 * n))%R.
Proof.
  intros Hx. apply (alternated_series_ineq (fun i => / INR (fact i) * x ^ i)%R).
  - intros i. rewrite fact_simpl, mult_INR. cbn [pow].
    assert (0 < INR (fact i))%R by apply INR_fact_lt_0.
    assert (1 <= INR (S i))%R by (apply (le_INR 1); lia).
    assert (0 <= x ^ i)%R by (apply pow_le; lra).
    rewrite Rinv_mult.
    assert (/ INR (S i) <= 1)%R by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
    assert (0 < / INR (S i))%R by (apply Rinv_0_lt_compat; lra).
    assert (0 <= / INR (fact i) * x ^ i)%R
      by (apply Rmult_le_pos; [left; now apply Rinv_0_lt_compat | easy]).
    replace (/ INR (S i) * / INR (fact i) * (x * x ^ i))%R
      with ((/ INR (S i) * x) * (/ INR (fact i) * x ^ i))%R by ring.
    assert (/ INR (S i) * x <= 1 * 1)%R by (apply Rmult_le_compat; lra).
    rewrite <- (Rmult_1_l (/ INR (fact i) * x ^ i)) at 2.
    apply Rmult_le_compat_r; [easy | lra].
  - intros eps He. destruct (cv_speed_pow_fact x eps He) as [n0 H0]. exists n0. intros i Hi.
    specialize (H0 i Hi). unfold Rdiv in H0. rewrite Rmult_comm in H0. exact H0.
  - unfold exp. destruct (exist_exp (- x)) as [l Hl]. cbn.
    intros eps He. destruct (Hl eps He) as [n0 H0]. exists n0. intros i Hi. specialize (H0 i Hi).
    replace (sum_f_R0 (tg_alt (fun i => / INR (fact i) * x ^ i)%R) i)
      with (sum_f_R0 (fun i => / INR (fact i) * (- x) ^ i)%R i); [easy|].
    apply sum_eq. intros j _. unfold tg_alt.
    replace (- x)%R with (-1 * x)%R by ring. rewrite Rpow_mult_distr. ring.
Qed.

Lemma factorial_grows n : (2 ^ n <= INR (fact (S n)))%R.
Proof.
  induction n as [|n IH]; [cbn; lra|]. rewrite fact_simpl, mult_INR. cbn [pow].
  assert (2 <= INR (S (S n)))%R by (apply (le_INR 2); lia).
  pose proof (pow_lt 2 n ltac:(lra)). nra.
Qed.

(** Bernoulli(exp(-x)) by the series: 64 words of terms for a word of bits are enough. *)
Theorem bernoulli_by_series x : (0 <= x <= 1)%R ->
  let lo k := (up (IZR (2 ^ bits k) * series x (S (2 * (32 * k)))) - 1) in
  let hi k := up (IZR (2 ^ bits k) * series x (2 * (32 * k))) in
  Un_cv (share (below lo) (above hi) true) (exp (- x)).
Proof.
  intros Hx lo hi. apply (bernoulli_real_law lo hi (exp (- x)) 3).
  { split; [left; apply exp_pos|]. rewrite <- exp_0. apply exp_le. lra. }
  intros k. split.
  - pose proof (exp_between x (32 * k) Hx) as [A B].
    pose proof (bits_positive k) as P. apply IZR_lt in P. unfold lo, hi.
    destruct (archimed (IZR (2 ^ bits k) * series x (S (2 * (32 * k))))) as [L1 L2].
    destruct (archimed (IZR (2 ^ bits k) * series x (2 * (32 * k)))) as [H1 H2].
    rewrite minus_IZR. split; nra.
  - unfold lo, hi. set (n := (2 * (32 * k))%nat).
    pose proof (bits_positive k) as P. apply IZR_lt in P.
    assert (IZR (2 ^ bits k) * series x n - IZR (2 ^ bits k) * series x (S n) <= 1)%R as G.
    { unfold series. cbn [sum_f_R0]. unfold tg_alt at 3.
      replace ((-1) ^ S n)%R with (-1)%R.
      2:{ unfold n. rewrite <- tech_pow_Rmult, pow_1_even. ring. }
      assert (IZR (2 ^ bits k) = 2 ^ n)%R as E.
      { rewrite pow_IZR. f_equal. f_equal. unfold bits, word_bits, n. lia. }
      pose proof (factorial_grows n) as F. assert (0 < INR (fact (S n)))%R by apply INR_fact_lt_0.
      assert (0 <= x ^ S n <= 1)%R as X.
      { split; [apply pow_le; lra|]. rewrite <- (pow1 (S n)). apply pow_incr. lra. }
      rewrite E in *.
      replace (2 ^ n * sum_f_R0 (tg_alt (fun i => / INR (fact i) * x ^ i)%R) n -
        2 ^ n * (sum_f_R0 (tg_alt (fun i => / INR (fact i) * x ^ i)%R) n +
        -1 * (/ INR (fact (S n)) * x ^ S n)))%R
        with ((2 ^ n * / INR (fact (S n))) * x ^ S n)%R by ring.
      assert (2 ^ n * / INR (fact (S n)) <= 1)%R.
      { apply Rmult_le_reg_r with (INR (fact (S n))); [easy|].
        rewrite Rmult_assoc, Rinv_l by lra. lra. }
      assert (0 < / INR (fact (S n)))%R by now apply Rinv_0_lt_compat. nra. }
    destruct (archimed (IZR (2 ^ bits k) * series x (S n))) as [L1 L2].
    destruct (archimed (IZR (2 ^ bits k) * series x n)) as [H1 H2].
    enough (up (IZR (2 ^ bits k) * series x n) < up (IZR (2 ^ bits k) * series x (S n)) + 3) by lia.
    apply lt_IZR. rewrite plus_IZR. lra.
Qed.
