(** Sparse vector with one-sided geometric noise: e1 + 2 c e2, or e1 + c e2 if monotone.

    Model of [sampling/above_threshold.py] and [laws/above_threshold.py]: with Z = Geo(exp(-e1))
    drawn once and a fresh V = Geo(exp(-e2)) for every question, a question of integer height g is
    answered above with probability exp(-e2 max(0, z + g)) at Z = z. Heights are ceilings, so
    values on the half-integer lattice, or any other, come down to integers. *)

From Coq Require Import ZArith List Reals Lra Lia Bool.
From LeastNoise Require Import Law Score.
Import ListNotations.
Open Scope R_scope.

(** * The model *)

Definition fire (e2 : R) (a : Z) : R := exp (- (e2 * IZR (Z.max 0 a))).

(** The noise of the threshold. *)
Definition geometric (e1 : R) (z : nat) : R := (1 - exp (- e1)) * exp (- (e1 * INR z)).

(** What was asked and answered: the height of each question, and whether it was above. *)
Definition transcript : Type := list (Z * bool).

Fixpoint answers_given (e2 : R) (z : Z) (t : transcript) : R :=
  match t with
  | [] => 1
  | (h, above) :: rest =>
      (if above : bool then fire e2 (z + h) else 1 - fire e2 (z + h)) * answers_given e2 z rest
  end.

Fixpoint positives (t : transcript) : nat :=
  match t with [] => 0 | (_, above) :: rest => (if above : bool then 1 else 0) + positives rest end.

Definition term (e1 e2 : R) (t : transcript) (z : nat) : R :=
  geometric e1 z * answers_given e2 (Z.of_nat z) t.

(** The probability of these answers: the sum over all values of the threshold's noise. *)
Definition probability (e1 e2 : R) (t : transcript) (p : R) : Prop := infinite_sum (term e1 e2 t) p.

(** * Facts about the noise *)

Lemma fire_unit e2 a : 0 <= e2 -> 0 < fire e2 a <= 1.
Proof.
  intros H. unfold fire. split; [apply exp_pos|].
  rewrite <- exp_0. apply exp_le.
  assert (0 <= IZR (Z.max 0 a)) by (apply IZR_le; lia). nra.
Qed.

Lemma fire_antitone e2 a b : 0 <= e2 -> (a <= b)%Z -> fire e2 b <= fire e2 a.
Proof.
  intros H L. unfold fire. apply exp_le.
  assert (IZR (Z.max 0 a) <= IZR (Z.max 0 b)) by (apply IZR_le; lia). nra.
Qed.

Lemma fire_shift e2 a b k : 0 <= e2 -> (b <= a + k)%Z -> (0 <= k)%Z ->
  fire e2 a <= exp (IZR k * e2) * fire e2 b.
Proof.
  intros H L K. unfold fire. rewrite <- exp_plus. apply exp_le.
  assert (IZR (Z.max 0 b) <= IZR (Z.max 0 a) + IZR k)
    by (rewrite <- plus_IZR; apply IZR_le; lia). nra.
Qed.

Lemma answers_given_unit e2 z t : 0 <= e2 -> 0 <= answers_given e2 z t <= 1.
Proof.
  intros H. induction t as [|[h b] t IH]; cbn; [lra|].
  pose proof (fire_unit e2 (z + h) H). destruct b; nra.
Qed.

(** A question that is below stays below, and one that is above costs [k] steps of e2. *)
Definition shifted_by (s k : Z) (t u : transcript) : Prop :=
  Forall2 (fun a b => snd a = snd b /\ (fst a <= s + fst b <= fst a + k)%Z) t u.

Lemma answers_given_shift e2 s k z t u : 0 <= e2 -> (0 <= k)%Z -> shifted_by s k t u ->
  answers_given e2 z t <=
    exp (INR (positives t) * (IZR k * e2)) * answers_given e2 (z + s) u.
Proof.
  intros H K. induction 1 as [|[h b] [h' b'] t u [E L] _ IH]; cbn [answers_given positives].
  - cbn. rewrite Rmult_0_l, exp_0. lra.
  - cbn [fst snd] in *. subst b'.
    pose proof (answers_given_unit e2 z t H). pose proof (answers_given_unit e2 (z + s) u H).
    destruct b.
    + rewrite plus_INR. cbn [INR]. rewrite Rmult_plus_distr_r, Rmult_1_l, exp_plus.
      replace (exp (IZR k * e2) * exp (INR (positives t) * (IZR k * e2))
          * (fire e2 (z + s + h') * answers_given e2 (z + s) u))
        with ((exp (IZR k * e2) * fire e2 (z + s + h'))
          * (exp (INR (positives t) * (IZR k * e2)) * answers_given e2 (z + s) u)) by ring.
      apply Rmult_le_compat; try lra.
      * pose proof (fire_unit e2 (z + h) H). lra.
      * apply fire_shift; auto; lia.
    + replace (exp (INR (0 + positives t) * (IZR k * e2))
          * ((1 - fire e2 (z + s + h')) * answers_given e2 (z + s) u))
        with ((1 - fire e2 (z + s + h'))
          * (exp (INR (positives t) * (IZR k * e2)) * answers_given e2 (z + s) u)) by (cbn; ring).
      apply Rmult_le_compat; try lra.
      * pose proof (fire_unit e2 (z + h) H). lra.
      * pose proof (fire_antitone e2 (z + h) (z + s + h') H ltac:(lia)). lra.
Qed.

Lemma geometric_nonneg e1 z : 0 <= e1 -> 0 <= geometric e1 z.
Proof.
  intros H. unfold geometric. pose proof (exp_pos (- (e1 * INR z))).
  assert (exp (- e1) <= 1) by (rewrite <- exp_0; apply exp_le; lra). nra.
Qed.

Lemma geometric_step e1 z s : geometric e1 z = exp (INR s * e1) * geometric e1 (z + s).
Proof.
  unfold geometric. rewrite plus_INR.
  replace (- (e1 * INR z)) with (INR s * e1 + - (e1 * (INR z + INR s))) by ring.
  rewrite exp_plus. ring.
Qed.

Lemma term_nonneg e1 e2 t z : 0 <= e1 -> 0 <= e2 -> 0 <= term e1 e2 t z.
Proof.
  intros. unfold term. apply Rmult_le_pos; [now apply geometric_nonneg|].
  now apply answers_given_unit.
Qed.

(** * Sums over the noise *)

Lemma geometric_sum e1 n : sum_f_R0 (geometric e1) n = 1 - exp (- (e1 * INR (S n))).
Proof.
  induction n as [|n IH].
  - unfold geometric. cbn. rewrite Rmult_0_r, Rmult_1_r, Ropp_0, exp_0. ring.
  - cbn [sum_f_R0]. rewrite IH. unfold geometric. rewrite (S_INR (S n)).
    replace (- (e1 * (INR (S n) + 1))) with (- e1 + - (e1 * INR (S n))) by ring.
    rewrite exp_plus. ring.
Qed.

(** Every transcript has a probability. *)
Theorem probability_exists e1 e2 t : 0 <= e1 -> 0 <= e2 -> exists p, probability e1 e2 t p.
Proof.
  intros H1 H2. destruct (growing_cv (sum_f_R0 (term e1 e2 t))) as [p Hp].
  - intros n. cbn. pose proof (term_nonneg e1 e2 t (S n) H1 H2). lra.
  - exists 1. intros x (n & ->). apply Rle_trans with (sum_f_R0 (geometric e1) n).
    + apply sum_Rle. intros z _. unfold term.
      pose proof (geometric_nonneg e1 z H1). pose proof (answers_given_unit e2 (Z.of_nat z) t H2).
      nra.
    + rewrite geometric_sum. pose proof (exp_pos (- (e1 * INR (S n)))). lra.
  - exists p. exact Hp.
Qed.

Lemma sum_shift f s n : (forall z, 0 <= f z) ->
  sum_f_R0 (fun z => f (z + s)%nat) n <= sum_f_R0 f (n + s).
Proof.
  intros H. induction n as [|n IH]; cbn [sum_f_R0 Nat.add].
  - destruct s; cbn; [lra|]. pose proof (cond_pos_sum f s H). lra.
  - lra.
Qed.

Lemma sum_le_limit f n l : (forall z, 0 <= f z) -> infinite_sum f l -> sum_f_R0 f n <= l.
Proof. intros H L. apply sum_incr; [exact L | exact H]. Qed.

Lemma limit_le f l c : infinite_sum f l -> (forall n, sum_f_R0 f n <= c) -> l <= c.
Proof.
  intros L H. destruct (Rle_lt_dec l c) as [|G]; [easy|].
  destruct (L (l - c) ltac:(lra)) as [n Hn]. specialize (Hn n ltac:(lia)). specialize (H n).
  unfold R_dist in Hn. apply Rabs_def2 in Hn. lra.
Qed.

(** The threshold's noise of x' is s steps higher: that costs s e1, and nothing more below. *)
Theorem probability_shift e1 e2 s k t u p q :
  0 <= e1 -> 0 <= e2 -> shifted_by (Z.of_nat s) (Z.of_nat k) t u ->
  probability e1 e2 t p -> probability e1 e2 u q ->
  p <= exp (INR s * e1 + INR (positives t) * (INR k * e2)) * q.
Proof.
  intros H1 H2 S P Q. set (c := exp _). apply (limit_le _ _ _ P). intros n.
  assert (0 < c) by apply exp_pos.
  apply Rle_trans with (sum_f_R0 (fun z => term e1 e2 u (z + s)%nat * c) n).
  - apply sum_Rle. intros z _. unfold term. rewrite (geometric_step e1 z s).
    pose proof (answers_given_shift e2 (Z.of_nat s) (Z.of_nat k) (Z.of_nat z) t u H2 ltac:(lia) S) as A.
    rewrite <- INR_IZR_INZ, <- Nat2Z.inj_add in A.
    subst c. rewrite exp_plus.
    pose proof (geometric_nonneg e1 (z + s) H1). pose proof (exp_pos (INR s * e1)).
    replace (geometric e1 (z + s) * answers_given e2 (Z.of_nat (z + s)) u *
       (exp (INR s * e1) * exp (INR (positives t) * (INR k * e2))))
      with ((exp (INR s * e1) * geometric e1 (z + s)) *
        (exp (INR (positives t) * (INR k * e2)) * answers_given e2 (Z.of_nat (z + s)) u)) by ring.
    apply Rmult_le_compat_l; [nra | exact A].
  - rewrite <- scal_sum. apply Rmult_le_compat_l; [lra|].
    eapply Rle_trans; [apply sum_shift; intros; now apply term_nonneg|].
    apply (sum_le_limit _ _ _ (fun z => term_nonneg e1 e2 u z H1 H2) Q).
Qed.

(** * The privacy of sparse vector *)

(** The same answers to questions whose heights move by at most one. *)
Definition near (t u : transcript) : Prop :=
  Forall2 (fun a b => snd a = snd b /\ (fst a - 1 <= fst b <= fst a + 1)%Z) t u.

(** ... and all in one direction. *)
Definition near_one_way (t u : transcript) : Prop :=
  Forall2 (fun a b => snd a = snd b /\ (fst a <= fst b <= fst a + 1)%Z) t u \/
  Forall2 (fun a b => snd a = snd b /\ (fst a - 1 <= fst b <= fst a)%Z) t u.

Lemma forall2_weaken {A B} (P Q : A -> B -> Prop) xs ys :
  (forall x y, P x y -> Q x y) -> Forall2 P xs ys -> Forall2 Q xs ys.
Proof. intros H. induction 1; constructor; auto. Qed.

(** At most c positive answers: e1 + 2 c e2. *)
Theorem sparse_vector_private e1 e2 c t u p q :
  0 <= e1 -> 0 <= e2 -> near t u -> (positives t <= c)%nat ->
  probability e1 e2 t p -> probability e1 e2 u q ->
  p <= exp (e1 + 2 * INR c * e2) * q.
Proof.
  intros H1 H2 N C P Q.
  assert (0 <= q) as Hq.
  { eapply Rle_trans; [|apply (sum_le_limit _ 0 _ (fun z => term_nonneg e1 e2 u z H1 H2) Q)].
    cbn. now apply term_nonneg. }
  eapply Rle_trans.
  - apply (probability_shift e1 e2 1 2 t u p q H1 H2); auto.
    refine (forall2_weaken _ _ _ _ _ N). intros a b [E L]. split; [easy | lia].
  - apply Rmult_le_compat_r; [easy|]. apply exp_le. cbn [INR].
    apply le_INR in C. nra.
Qed.

(** Questions that move in one direction: e1 + c e2. *)
Theorem sparse_vector_monotone e1 e2 c t u p q :
  0 <= e1 -> 0 <= e2 -> near_one_way t u -> (positives t <= c)%nat ->
  probability e1 e2 t p -> probability e1 e2 u q ->
  p <= exp (e1 + INR c * e2) * q.
Proof.
  intros H1 H2 N C P Q.
  assert (0 <= q) as Hq.
  { eapply Rle_trans; [|apply (sum_le_limit _ 0 _ (fun z => term_nonneg e1 e2 u z H1 H2) Q)].
    cbn. now apply term_nonneg. }
  apply le_INR in C. destruct N as [N|N].
  - eapply Rle_trans.
    + exact (probability_shift e1 e2 0 1 t u p q H1 H2 N P Q).
    + apply Rmult_le_compat_r; [easy|]. apply exp_le. cbn [INR]. nra.
  - eapply Rle_trans.
    + apply (probability_shift e1 e2 1 1 t u p q H1 H2); auto.
      refine (forall2_weaken _ _ _ _ _ N). intros a b [E L]. split; [easy | lia].
    + apply Rmult_le_compat_r; [easy|]. apply exp_le. cbn [INR]. nra.
Qed.

(** * Heights: the half-integer lattice, and any other *)

Open Scope Z_scope.

(** ceil(- x / d): a value of x/d above the threshold 0 has height 0 or less. *)
Definition ceiling_height (d x : Z) : Z := - (x / d).

Lemma ceiling_height_moves d x y : 0 < d -> - d <= y - x <= d ->
  ceiling_height d x - 1 <= ceiling_height d y <= ceiling_height d x + 1.
Proof.
  intros Hd H. unfold ceiling_height.
  assert (x / d - 1 <= y / d <= x / d + 1); [|lia].
  replace (x / d - 1) with ((x + -1 * d) / d) by (rewrite Z.div_add; lia).
  replace (x / d + 1) with ((x + 1 * d) / d) by (rewrite Z.div_add; lia).
  split; apply Z.div_le_mono; lia.
Qed.

(** The least level from 1 on whose bound reaches a candidate: one beyond the depth if none. *)
Definition length_to (U : nat -> Z) (depth : nat) (t : Z) : nat :=
  first_level (fun l => t <=? U l) 1 depth.

(** [Stream.height]. *)
Definition height (depth : nat) (p : profile) (t : Z) : Z :=
  if value p <=? t then 1 - Z.of_nat (length_to (upper p) depth t)
  else Z.of_nat (length_to (upper (mirror p)) depth (- t)).

(** Twice the reflective inverse sensitivity, sgn(t - value) (len - 1/2); a tie scores + 1/2. *)
Definition twice_score (depth : nat) (p : profile) (t : Z) : Z :=
  if value p <=? t then 2 * Z.of_nat (length_to (upper p) depth t) - 1
  else - (2 * Z.of_nat (length_to (upper (mirror p)) depth (- t)) - 1).

(** Heights are the ceilings of minus these half-integers. *)
Theorem height_is_ceiling depth p t :
  height depth p t = ceiling_height 2 (twice_score depth p t).
Proof.
  unfold height, ceiling_height, twice_score. destruct (value p <=? t).
  - set (n := Z.of_nat _). replace (2 * n - 1) with (1 + (n - 1) * 2) by ring.
    rewrite Z.div_add by lia. change (1 / 2) with 0. lia.
  - set (n := Z.of_nat _). replace (- (2 * n - 1)) with (1 + (- n) * 2) by ring.
    rewrite Z.div_add by lia. change (1 / 2) with 0. lia.
Qed.

Lemma length_to_bounds U depth t : (1 <= length_to U depth t <= S depth)%nat.
Proof.
  unfold length_to. destruct (first_level_spec (fun l => t <=? U l) depth 1) as (A & _). lia.
Qed.

Lemma length_to_least U depth t j : (1 <= j)%nat -> t <= U j -> (length_to U depth t <= j)%nat.
Proof.
  intros Hj Ht. unfold length_to.
  destruct (first_level_spec (fun l => t <=? U l) depth 1) as (A & B & C).
  set (found := first_level _ _ _) in *. destruct (le_gt_dec found j) as [|G]; [easy|].
  specialize (B j ltac:(lia)). cbn in B. lia.
Qed.

Lemma length_to_reached U depth t : (length_to U depth t < S depth)%nat ->
  t <= U (length_to U depth t).
Proof.
  unfold length_to. intros H.
  destruct (first_level_spec (fun l => t <=? U l) depth 1) as (A & B & C).
  apply Z.leb_le, C. lia.
Qed.

(** Bounds that one record more reaches: a length that is at most one more. *)
Lemma length_to_shift U V depth t : (forall l, U l <= V (l + 1)%nat) ->
  (length_to V depth t <= length_to U depth t + 1)%nat.
Proof.
  intros H. pose proof (length_to_bounds U depth t). pose proof (length_to_bounds V depth t).
  destruct (le_gt_dec (S depth) (length_to U depth t)) as [|G]; [lia|].
  apply length_to_least; [lia|].
  pose proof (length_to_reached U depth t G). specialize (H (length_to U depth t)). lia.
Qed.

Lemma length_to_below U V depth t : (forall l, U l <= V l) ->
  (length_to V depth t <= length_to U depth t)%nat.
Proof.
  intros H. pose proof (length_to_bounds U depth t). pose proof (length_to_bounds V depth t).
  destruct (le_gt_dec (S depth) (length_to U depth t)) as [|G]; [lia|].
  apply length_to_least; [lia|].
  pose proof (length_to_reached U depth t G). specialize (H (length_to U depth t)). lia.
Qed.

(** What the walk needs of a profile: it has no range, so ends and depth are cut by the code. *)
Definition centred (p : profile) : Prop := upper p 0 = value p /\ lower p 0 = value p.

Theorem height_moves_by_at_most_one depth p q t :
  centred p -> centred q -> neighbours p q ->
  height depth p t - 1 <= height depth q t <= height depth p t + 1.
Proof.
  intros P Q [H H'].
  assert (forall p q, apart 1 p q -> forall l, upper q l <= upper p (l + 1)) as Hu
    by (intros a b A l; apply A).
  assert (forall p q, apart 1 p q -> forall l, upper (mirror q) l <= upper (mirror p) (l + 1)) as Hl
    by (intros a b A l; apply (mirror_apart 1 a b A l)).
  pose proof (length_to_shift _ _ depth t (Hu p q H)).
  pose proof (length_to_shift _ _ depth t (Hu q p H')).
  pose proof (length_to_shift _ _ depth (- t) (Hl p q H)).
  pose proof (length_to_shift _ _ depth (- t) (Hl q p H')).
  pose proof (length_to_bounds (upper p) depth t).
  pose proof (length_to_bounds (upper q) depth t).
  pose proof (length_to_bounds (upper (mirror p)) depth (- t)).
  pose proof (length_to_bounds (upper (mirror q)) depth (- t)).
  unfold height.
  destruct (Z.leb_spec (value p) t) as [A|A]; destruct (Z.leb_spec (value q) t) as [B|B]; try lia.
  - (* value p <= t < value q: both lengths are one *)
    assert (length_to (upper p) depth t <= 1)%nat.
    { apply length_to_least; [lia|]. destruct (H O) as [X _]. destruct Q. cbn in X. lia. }
    assert (length_to (upper (mirror q)) depth (- t) <= 1)%nat.
    { apply length_to_least; [lia|]. destruct (H' O) as [_ X]. destruct P. cbn in *. lia. }
    lia.
  - assert (length_to (upper q) depth t <= 1)%nat.
    { apply length_to_least; [lia|]. destruct (H' O) as [X _]. destruct P. cbn in X. lia. }
    assert (length_to (upper (mirror p)) depth (- t) <= 1)%nat.
    { apply length_to_least; [lia|]. destruct (H O) as [_ X]. destruct Q. cbn in *. lia. }
    lia.
Qed.

Theorem height_one_way depth p q t :
  centred p -> centred q -> below_all p q -> height depth p t <= height depth q t.
Proof.
  intros P Q H.
  pose proof (length_to_below (upper p) (upper q) depth t (fun l => proj1 (H l))).
  assert (forall l, upper (mirror q) l <= upper (mirror p) l) as Hl
    by (intros l; destruct (H l); cbn; lia).
  pose proof (length_to_below _ _ depth (- t) Hl).
  pose proof (length_to_bounds (upper p) depth t).
  pose proof (length_to_bounds (upper (mirror q)) depth (- t)).
  assert (value p <= value q).
  { destruct (H O) as [X _]. destruct P, Q. lia. }
  unfold height.
  destruct (Z.leb_spec (value p) t) as [A|A]; destruct (Z.leb_spec (value q) t) as [B|B]; lia.
Qed.

(** * The asymmetric mechanism: the first of public candidates that fires *)

(** What is seen when question [index] is the first to fire, or none is. *)
Definition asked {B} (h : B -> Z) (questions : list B) (index : option nat) : transcript :=
  match index with
  | Some i =>
      map (fun t => (h t, false)) (firstn i questions)
      ++ map (fun t => (h t, true)) (firstn 1 (skipn i questions))
  | None => map (fun t => (h t, false)) questions
  end.

Definition walk (depth : nat) (candidates : list Z) (p : profile) (index : option nat)
  : transcript :=
  asked (height depth p) candidates index.

Lemma forall2_app {A B} (P : A -> B -> Prop) xs ys us vs :
  Forall2 P xs ys -> Forall2 P us vs -> Forall2 P (xs ++ us) (ys ++ vs).
Proof. induction 1; cbn; auto. Qed.

Lemma asked_forall2 {B} (P : Z * bool -> Z * bool -> Prop) (h k : B -> Z) questions index :
  (forall t b, In t questions -> P (h t, b) (k t, b)) ->
  Forall2 P (asked h questions index) (asked k questions index).
Proof.
  intros H.
  assert (forall b ts, (forall t, In t ts -> In t questions) ->
    Forall2 P (map (fun t => (h t, b)) ts) (map (fun t => (k t, b)) ts)) as G.
  { intros b ts. induction ts as [|t ts IH]; cbn; intros S; constructor; auto. }
  destruct index as [i|]; cbn [asked]; [apply forall2_app|]; apply G; auto; intros t Ht.
  - rewrite <- (firstn_skipn i). apply in_or_app. now left.
  - rewrite <- (firstn_skipn i), <- (firstn_skipn 1 (skipn i questions)).
    apply in_or_app. right. apply in_or_app. now left.
Qed.

Lemma asked_positives {B} (h : B -> Z) questions index : (positives (asked h questions index) <= 1)%nat.
Proof.
  assert (forall ts rest, positives (map (fun t => (h t, false)) ts ++ rest) = positives rest) as G
    by (induction ts; cbn; auto).
  destruct index as [i|]; cbn [asked].
  - rewrite G. destruct (skipn i questions); cbn; lia.
  - rewrite <- (app_nil_r (map _ questions)), G. cbn. lia.
Qed.

Open Scope R_scope.

Theorem asymmetric_private e1 e2 depth candidates p q index a b :
  0 <= e1 -> 0 <= e2 -> centred p -> centred q -> neighbours p q ->
  probability e1 e2 (walk depth candidates p index) a ->
  probability e1 e2 (walk depth candidates q index) b ->
  a <= exp (e1 + 2 * e2) * b.
Proof.
  intros H1 H2 P Q N A B. replace (2 * e2) with (2 * INR 1 * e2) by (cbn; ring).
  refine (sparse_vector_private e1 e2 1 _ _ a b H1 H2 _ (asked_positives _ _ _) A B).
  apply asked_forall2. intros t f _. cbn. split; [easy | now apply height_moves_by_at_most_one].
Qed.

Theorem asymmetric_monotone e1 e2 depth candidates p q index a b :
  0 <= e1 -> 0 <= e2 -> centred p -> centred q -> neighbours p q -> one_way p q ->
  probability e1 e2 (walk depth candidates p index) a ->
  probability e1 e2 (walk depth candidates q index) b ->
  a <= exp (e1 + e2) * b.
Proof.
  intros H1 H2 P Q N W A B. replace e2 with (INR 1 * e2) at 1 by (cbn; ring).
  refine (sparse_vector_monotone e1 e2 1 _ _ a b H1 H2 _ (asked_positives _ _ _) A B).
  destruct W as [W|W]; [left | right]; apply asked_forall2; intros t f _; cbn; (split; [easy|]);
    pose proof (height_moves_by_at_most_one depth p q t P Q N);
    [pose proof (height_one_way depth p q t P Q W) | pose proof (height_one_way depth q p t Q P W)];
    lia.
Qed.
