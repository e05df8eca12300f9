(** The score of a lattice point under a profile, and the laws that are exponential in it.

    Model of [profiles/grid.py] (what a law reads), [sampling/dyadic.py] ([LevelLaw.reach],
    [.level], [.exponent]) and [sampling/shifted.py] ([Score.at], [ShiftedLaw.exponent_at]).
    Everything that decides is an integer or a pair (numerator, denominator), as in the code; reals
    come in with [exp] alone. *)

From Coq Require Import ZArith List Reals Lra Lia Bool.
From LeastNoise Require Import Law.
Import ListNotations.
Open Scope Z_scope.

(** * The model *)

(** A rational as the code writes it: (numerator, denominator). *)
Definition ratio : Type := Z * Z.

Definition val (x : ratio) : R := (IZR (fst x) / IZR (snd x))%R.

(** What the code calls a grid profile: [value] is its [centre]. *)
Record profile := Profile { value : Z; upper : nat -> Z; lower : nat -> Z }.

(** What is public: the range, how many levels are read, and rho in whole steps. *)
Record public := Public { low : Z; high : Z; depth : nat; wider : Z }.

Definition mirror (p : profile) : profile :=
  Profile (- value p) (fun l => - lower p l) (fun l => - upper p l).

Definition mirror_public (r : public) : public := Public (- high r) (- low r) (depth r) (wider r).

(** The last point on the right within a level: [centre + LevelLaw.reach(1, level)]. *)
Definition right_bound (r : public) (p : profile) (l : nat) : Z :=
  if Nat.ltb (depth r) l then high r
  else Z.max (value p) (Z.min (high r) (upper p l + wider r)).

(** The first level in [l, l + fuel] that is reached, as the last one must be. *)
Fixpoint first_level (reached : nat -> bool) (l fuel : nat) : nat :=
  match fuel with
  | O => l
  | S fuel => if reached l then l else first_level reached (S l) fuel
  end.

Definition level (U : nat -> Z) (last : nat) (y : Z) : nat :=
  first_level (fun l => y <=? U l) 0 last.

(** Score of a point on the right: 0 on the plateau, else its level (flat) or how far it is
    between the bounds of two levels (sloped). *)
Definition side_score (sloped : bool) (U : nat -> Z) (last : nat) (y : Z) : ratio :=
  match level U last y with
  | O => (0, 1)
  | S m =>
      if sloped then (Z.of_nat m * (U (S m) - U m) + (y - U m), U (S m) - U m)
      else (Z.of_nat (S m), 1)
  end.

Definition right_score (sloped : bool) (r : public) (p : profile) (y : Z) : ratio :=
  side_score sloped (right_bound r p) (S (depth r)) y.

Definition left_score (sloped : bool) (r : public) (p : profile) (y : Z) : ratio :=
  right_score sloped (mirror_public r) (mirror p) (- y).

(** The score, and the reflective one, which is negative on the left. *)
Definition score (sloped : bool) (r : public) (p : profile) (y : Z) : ratio :=
  if value p <=? y then right_score sloped r p y else left_score sloped r p y.

Definition signed_score (r : public) (p : profile) (y : Z) : ratio :=
  if value p <=? y then right_score true r p y
  else let s := left_score true r p y in (- fst s, snd s).

(** E of the inverse sensitivity (flat) and the piecewise Laplace mechanism (sloped): the rate is
    epsilon / 2. *)
Definition half (epsilon : ratio) : ratio := (fst epsilon, 2 * snd epsilon).

Definition times (x y : ratio) : ratio := (fst x * fst y, snd x * snd y).

Definition exponent (epsilon : ratio) (sloped : bool) (r : public) (p : profile) (y : Z) : ratio :=
  times (half epsilon) (score sloped r p y).

(** E of the shifted form: rate [above] where the signed score is above [tau], else [below]. *)
Definition shifted_exponent (above below : ratio) (tau : Z) (r : public) (p : profile) (y : Z)
  : ratio :=
  let s := signed_score r p y in
  let excess := fst s - tau * snd s in
  let rate := if 0 <=? excess then above else below in
  (Z.abs excess * fst rate, snd s * snd rate).

(** All lattice points of the public range. *)
Definition points (r : public) : list Z :=
  map (fun i => low r + Z.of_nat i) (seq 0 (Z.to_nat (high r - low r + 1))).

(** * Conditions *)

(** What [on_grid] makes of a profile: bounds that start at the value and only widen. *)
Record valid (r : public) (p : profile) : Prop := {
  upper_starts : upper p 0 = value p;
  lower_starts : lower p 0 = value p;
  upper_widens : forall l, upper p l <= upper p (S l);
  lower_widens : forall l, lower p (S l) <= lower p l;
  in_range : low r <= value p <= high r;
  wider_public : 0 <= wider r;
}.

(** [k] records apart: with k = 1, the neighbour law from x = p to x' = q. *)
Definition apart (k : nat) (p q : profile) : Prop :=
  forall l, upper q l <= upper p (l + k) /\ lower p (l + k) <= lower q l.

(** The neighbour law, in both directions. *)
Definition neighbours (p q : profile) : Prop := apart 1 p q /\ apart 1 q p.

(** Every bound of p lies at or below that of q: one direction of a monotone statistic. *)
Definition below_all (p q : profile) : Prop :=
  forall l, upper p l <= upper q l /\ lower p l <= lower q l.

Definition one_way (p q : profile) : Prop := below_all p q \/ below_all q p.

(** * Facts about levels *)

Lemma first_level_spec reached : forall fuel l,
  let found := first_level reached l fuel in
  (l <= found <= l + fuel)%nat /\
  (forall j, (l <= j < found)%nat -> reached j = false) /\
  ((found < l + fuel)%nat -> reached found = true).
Proof.
  induction fuel as [|fuel IH]; intros l; cbn.
  - repeat split; lia.
  - destruct (reached l) eqn:E.
    + repeat split; try lia. auto.
    + destruct (IH (S l)) as (A & B & C). repeat split; try lia.
      * intros j Hj. destruct (Nat.eq_dec j l) as [->|]; [easy | apply B; lia].
      * intros H. apply C. lia.
Qed.

Lemma level_spec U last y : y <= U last ->
  (level U last y <= last)%nat /\ y <= U (level U last y) /\
  (forall j, (j < level U last y)%nat -> U j < y).
Proof.
  intros Hy. unfold level.
  destruct (first_level_spec (fun l => y <=? U l) last 0) as (A & B & C).
  set (found := first_level _ _ _) in *. cbn in A. repeat split; try lia.
  - destruct (Nat.eq_dec found last) as [E|E]; [now rewrite E|].
    apply Z.leb_le, C. cbn. lia.
  - intros j Hj. specialize (B j ltac:(lia)). cbn in B. lia.
Qed.

Lemma level_least U last y j : (j <= last)%nat -> y <= U j -> (level U last y <= j)%nat.
Proof.
  intros Hj Hy. unfold level.
  destruct (first_level_spec (fun l => y <=? U l) last 0) as (A & B & C).
  set (found := first_level _ _ _) in *.
  destruct (le_gt_dec found j) as [|G]; [easy|].
  specialize (B j ltac:(lia)). cbn in B. lia.
Qed.

Lemma within x a : (Rabs x <= a -> - a <= x <= a)%R.
Proof. unfold Rabs. destruct (Rcase_abs x); lra. Qed.

Lemma val_over_one z : val (z, 1) = IZR z.
Proof. unfold val; cbn. field. Qed.

Lemma val_sloped m a s : 0 < s -> val (m * s + a, s) = (IZR m + IZR a / IZR s)%R.
Proof.
  intros Hs. unfold val; cbn. apply IZR_lt in Hs.
  rewrite plus_IZR, mult_IZR. field. lra.
Qed.

Lemma fraction_le a b c d y :
  a <= b -> d <= c -> b < y <= c -> a < y <= d ->
  (IZR (y - b) / IZR (c - b) <= IZR (y - a) / IZR (d - a))%R.
Proof.
  intros. assert (0 < IZR (c - b))%R by (apply IZR_lt; lia).
  assert (0 < IZR (d - a))%R by (apply IZR_lt; lia).
  apply Rmult_le_reg_r with (IZR (c - b) * IZR (d - a))%R; [nra|].
  replace (IZR (y - b) / IZR (c - b) * (IZR (c - b) * IZR (d - a)))%R
    with (IZR (y - b) * IZR (d - a))%R by (field; lra).
  replace (IZR (y - a) / IZR (d - a) * (IZR (c - b) * IZR (d - a)))%R
    with (IZR (y - a) * IZR (c - b))%R by (field; lra).
  rewrite <- !mult_IZR. apply IZR_le.
  pose proof (Z.mul_nonneg_nonneg (b - a) (d - y)).
  pose proof (Z.mul_nonneg_nonneg (y - a) (c - d)). nia.
Qed.

Lemma fraction_unit a s : 0 < a <= s -> (0 < IZR a / IZR s <= 1)%R.
Proof.
  intros [Ha Hs]. assert (0 < s) as Hs0 by lia.
  apply IZR_lt in Ha, Hs0. apply IZR_le in Hs. split.
  - apply Rmult_lt_0_compat; [easy | now apply Rinv_0_lt_compat].
  - apply Rmult_le_reg_r with (IZR s); [easy|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

(** The score lies in its level: (l - 1, l], and 0 on the plateau. *)
Lemma side_score_in_level sloped U last y : y <= U last ->
  let l := level U last y in
  (val (side_score sloped U last y) <= INR l)%R /\
  (l = O -> val (side_score sloped U last y) = 0%R) /\
  (forall m, l = S m -> INR m < val (side_score sloped U last y))%R.
Proof.
  intros Hy l. destruct (level_spec U last y Hy) as (A & B & C).
  subst l. unfold side_score. destruct (level U last y) as [|m] eqn:E.
  - rewrite val_over_one. cbn. repeat split; [lra | easy].
  - specialize (C m ltac:(lia)). destruct sloped.
    + rewrite val_sloped, <- INR_IZR_INZ by lia.
      pose proof (fraction_unit (y - U m) (U (S m) - U m) ltac:(lia)).
      rewrite S_INR. repeat split; [lra | easy | intros ? [= <-]; lra].
    + rewrite val_over_one, <- INR_IZR_INZ, S_INR.
      repeat split; [lra | easy | intros ? [= <-]; lra].
Qed.

Lemma side_score_nonneg sloped U last y : y <= U last ->
  (0 <= val (side_score sloped U last y))%R.
Proof.
  intros Hy. destruct (side_score_in_level sloped U last y Hy) as (_ & A & B).
  destruct (level U last y) as [|m]; [rewrite A; auto; lra|].
  specialize (B m eq_refl). pose proof (pos_INR m). lra.
Qed.

(** The heart of it: bounds that k more records reach give a score that is at most k larger. *)
Lemma side_score_shift sloped U V last y k :
  (forall l, (l + k <= last)%nat -> U l <= V (l + k)%nat) ->
  y <= U last -> y <= V last ->
  (val (side_score sloped V last y) <= val (side_score sloped U last y) + INR k)%R.
Proof.
  intros H HU HV.
  destruct (level_spec U last y HU) as (Ua & Ub & Uc).
  destruct (level_spec V last y HV) as (Va & Vb & Vc).
  destruct (side_score_in_level sloped U last y HU) as (_ & U0 & Um).
  destruct (side_score_in_level sloped V last y HV) as (Vl & V0 & Vm).
  set (lu := level U last y) in *. set (lv := level V last y) in *.
  assert (lv <= lu + k)%nat as Hl.
  { destruct (le_gt_dec (lu + k) last) as [G|G]; [|lia].
    apply level_least; [easy|]. specialize (H lu G). lia. }
  destruct (Nat.eq_dec lu 0) as [E|E].
  { rewrite U0 by easy. rewrite E in Hl. cbn in Hl. apply le_INR in Hl. lra. }
  destruct lu as [|m] eqn:Elu; [easy|].
  specialize (Um m eq_refl).
  destruct (Nat.eq_dec lv (S m + k)) as [Elv|Elv].
  2:{ assert (lv <= m + k)%nat as Hm by lia. apply le_INR in Hm. rewrite plus_INR in Hm. lra. }
  (* equal levels, k apart: compare the fractions within them *)
  clear Um U0 V0 Vm Vl. unfold side_score. fold lu. rewrite Elu.
  subst lv. destruct (level V last y) as [|n] eqn:En; [lia|].
  assert (n = m + k)%nat as -> by lia. destruct sloped.
  2:{ rewrite !val_over_one, <- !INR_IZR_INZ, !S_INR, plus_INR. lra. }
  specialize (Uc m ltac:(lia)). specialize (Vc (m + k)%nat ltac:(lia)).
  pose proof (H m ltac:(lia)). pose proof (H (S m) ltac:(lia)) as H1. cbn in H1.
  rewrite !val_sloped by lia. rewrite <- !INR_IZR_INZ, plus_INR.
  pose proof (fraction_le (U m) (V (m + k)%nat) (V (S (m + k))) (U (S m)) y
                ltac:(lia) ltac:(lia) ltac:(lia) ltac:(lia)). lra.
Qed.

(** * Scores of neighbours *)

Lemma in_points r y : In y (points r) <-> low r <= y <= high r.
Proof.
  unfold points. rewrite in_map_iff. split.
  - intros (i & <- & Hi). apply in_seq in Hi. lia.
  - intros Hy. exists (Z.to_nat (y - low r)). split; [lia|]. apply in_seq. lia.
Qed.

Lemma right_bound_last r p : right_bound r p (S (depth r)) = high r.
Proof.
  unfold right_bound. replace (Nat.ltb (depth r) (S (depth r))) with true; [easy|].
  symmetry. apply Nat.ltb_lt. lia.
Qed.

(** Rounding, widening, cutting to the range and at the depth keep the law (rounding.md, d). *)
Lemma right_bound_shift r p q k l :
  valid r p -> valid r q -> apart k p q -> right_bound r q l <= right_bound r p (l + k).
Proof.
  intros P Q H. unfold right_bound.
  destruct (Nat.ltb_spec (depth r) (l + k)) as [A|A];
    destruct (Nat.ltb_spec (depth r) l) as [B|B]; try lia.
  - destruct P, Q. lia.
  - destruct (H l) as [Hu _].
    assert (value q <= upper q l) as Hq.
    { rewrite <- (upper_starts r q Q). clear - Q.
      induction l; [lia|]. pose proof (upper_widens r q Q l). lia. }
    destruct P, Q. lia.
Qed.

Lemma right_bound_below r p q l : below_all p q -> value p <= value q ->
  right_bound r p l <= right_bound r q l.
Proof.
  intros H Hv. unfold right_bound. destruct (Nat.ltb (depth r) l); [lia|].
  destruct (H l). lia.
Qed.

Lemma mirror_valid r p : valid r p -> valid (mirror_public r) (mirror p).
Proof.
  intros []. constructor; cbn; try lia.
  - intros l. specialize (lower_widens0 l). lia.
  - intros l. specialize (upper_widens0 l). lia.
Qed.

Lemma mirror_apart k p q : apart k p q -> apart k (mirror p) (mirror q).
Proof. intros H l. destruct (H l). cbn. lia. Qed.

Lemma mirror_below p q : below_all p q -> below_all (mirror q) (mirror p).
Proof. intros H l. destruct (H l). cbn. lia. Qed.

Lemma below_value r p q : valid r p -> valid r q -> below_all p q -> value p <= value q.
Proof.
  intros P Q H. destruct (H O) as [H0 _].
  rewrite (upper_starts r p P), (upper_starts r q Q) in H0. easy.
Qed.

Lemma right_score_shift sloped r p q k y :
  valid r p -> valid r q -> apart k q p -> y <= high r ->
  (val (right_score sloped r q y) <= val (right_score sloped r p y) + INR k)%R.
Proof.
  intros P Q H Hy. apply side_score_shift; [|now rewrite right_bound_last..].
  intros l _. now apply right_bound_shift.
Qed.

Lemma left_score_shift sloped r p q k y :
  valid r p -> valid r q -> apart k q p -> low r <= y ->
  (val (left_score sloped r q y) <= val (left_score sloped r p y) + INR k)%R.
Proof.
  intros P Q H Hy.
  apply right_score_shift; auto using mirror_valid, mirror_apart. cbn. lia.
Qed.

Lemma right_score_below sloped r p q y :
  valid r p -> valid r q -> below_all p q -> y <= high r ->
  (val (right_score sloped r q y) <= val (right_score sloped r p y))%R.
Proof.
  intros P Q H Hy. pose proof (below_value r p q P Q H).
  enough (val (right_score sloped r q y) <= val (right_score sloped r p y) + INR 0)%R
    by (cbn in *; lra).
  apply side_score_shift; [|now rewrite right_bound_last..].
  intros l _. rewrite Nat.add_0_r. now apply right_bound_below.
Qed.

Lemma left_score_below sloped r p q y :
  valid r p -> valid r q -> below_all p q -> low r <= y ->
  (val (left_score sloped r p y) <= val (left_score sloped r q y))%R.
Proof.
  intros P Q H Hy.
  apply right_score_below; auto using mirror_valid, mirror_below. cbn. lia.
Qed.

Lemma right_score_nonneg sloped r p y : y <= high r -> (0 <= val (right_score sloped r p y))%R.
Proof. intros. apply side_score_nonneg. now rewrite right_bound_last. Qed.

Lemma left_score_nonneg sloped r p y : low r <= y -> (0 <= val (left_score sloped r p y))%R.
Proof. intros. apply right_score_nonneg. cbn. lia. Qed.

Lemma right_score_plateau sloped r p y :
  valid r p -> y <= value p -> val (right_score sloped r p y) = 0%R.
Proof.
  intros P Hy. unfold right_score, side_score.
  assert (level (right_bound r p) (S (depth r)) y <= 0)%nat as Hl.
  { apply level_least; [lia|]. unfold right_bound. cbn. destruct P. lia. }
  destruct (level _ _ _); [apply val_over_one | lia].
Qed.

Lemma left_score_plateau sloped r p y :
  valid r p -> value p <= y -> val (left_score sloped r p y) = 0%R.
Proof. intros P Hy. apply right_score_plateau; [now apply mirror_valid | cbn; lia]. Qed.

Lemma score_sides sloped r p y : valid r p ->
  val (score sloped r p y) = (val (right_score sloped r p y) + val (left_score sloped r p y))%R.
Proof.
  intros P. unfold score. destruct (Z.leb_spec (value p) y).
  - rewrite (left_score_plateau sloped r p y) by easy. lra.
  - rewrite (right_score_plateau sloped r p y) by (easy || lia). lra.
Qed.

Lemma val_opposite (s : ratio) : val (- fst s, snd s) = (- val s)%R.
Proof. unfold val. cbn. rewrite opp_IZR. unfold Rdiv. ring. Qed.

Lemma signed_sides r p y : valid r p ->
  val (signed_score r p y) = (val (right_score true r p y) - val (left_score true r p y))%R.
Proof.
  intros P. unfold signed_score. destruct (Z.leb_spec (value p) y).
  - rewrite (left_score_plateau true r p y) by easy. lra.
  - rewrite val_opposite, (right_score_plateau true r p y) by (easy || lia). lra.
Qed.

(** Theorem (a). Between data sets that are k records apart the score of every point of the public
    range moves by at most k: flat and sloped, plateaus, ends and depth included. *)
Theorem score_moves_by_at_most k sloped r p q y :
  valid r p -> valid r q -> apart k p q -> apart k q p -> low r <= y <= high r ->
  (Rabs (val (score sloped r q y) - val (score sloped r p y)) <= INR k)%R.
Proof.
  assert (forall p q, valid r p -> valid r q -> apart k q p -> low r <= y <= high r ->
    (val (score sloped r q y) <= val (score sloped r p y) + INR k)%R) as G.
  { clear. intros p q P Q H Hy. rewrite (score_sides sloped r p y P). unfold score.
    pose proof (right_score_nonneg sloped r p y ltac:(lia)).
    pose proof (left_score_nonneg sloped r p y ltac:(lia)).
    destruct (value q <=? y).
    - pose proof (right_score_shift sloped r p q k y P Q H ltac:(lia)). lra.
    - pose proof (left_score_shift sloped r p q k y P Q H ltac:(lia)). lra. }
  intros P Q H H' Hy. apply Rabs_le.
  pose proof (G p q P Q H' Hy). pose proof (G q p Q P H Hy). lra.
Qed.

Corollary score_moves_by_at_most_one sloped r p q y :
  valid r p -> valid r q -> neighbours p q -> low r <= y <= high r ->
  (Rabs (val (score sloped r q y) - val (score sloped r p y)) <= 1)%R.
Proof. intros P Q [H H'] Hy. now apply (score_moves_by_at_most 1). Qed.

Lemma score_between r p y : valid r p -> wider r = 0 ->
  value p < y <= right_bound r p 1 ->
  val (right_score true r p y) = (IZR (y - value p) / IZR (right_bound r p 1 - value p))%R.
Proof.
  intros P W Hy.
  assert (right_bound r p 0 = value p) as E0.
  { unfold right_bound. cbn. destruct P. lia. }
  unfold right_score, side_score.
  assert (level (right_bound r p) (S (depth r)) y <= 1)%nat as Hl
    by (apply level_least; lia).
  destruct (level_spec (right_bound r p) (S (depth r)) y) as (_ & B & _).
  { rewrite right_bound_last. assert (right_bound r p 1 <= high r); [|lia].
    unfold right_bound. destruct P. destruct (Nat.ltb _ _); lia. }
  destruct (level _ _ _) as [|[|m]]; try lia.
  rewrite E0. cbn [Z.of_nat Z.mul Z.add]. now destruct (y - value p).
Qed.

Lemma right_bound_covers r p q : valid r p -> valid r q -> apart 1 p q ->
  value q <= right_bound r p 1.
Proof.
  intros P Q H. unfold right_bound. destruct (Nat.ltb _ _); [destruct Q; lia|].
  destruct (H O) as [A _]. cbn in A. destruct P, Q. lia.
Qed.

Lemma crossing r p q y : valid r p -> valid r q -> neighbours p q -> wider r = 0 ->
  value p <= y < value q ->
  (0 <= val (right_score true r p y) + val (left_score true r q y) <= 1)%R.
Proof.
  intros P Q [H H'] W Hy.
  pose proof (right_score_nonneg true r p y ltac:(destruct Q; lia)).
  pose proof (left_score_nonneg true r q y ltac:(destruct P; lia)).
  split; [lra|].
  pose proof (right_bound_covers r p q P Q H) as A.
  pose proof (right_bound_covers (mirror_public r) (mirror q) (mirror p)
    (mirror_valid r q Q) (mirror_valid r p P) (mirror_apart 1 q p H')) as B. cbn [value mirror] in B.
  assert (val (left_score true r q y) <= IZR (value q - y) / IZR (value q - value p))%R as L.
  { unfold left_score. rewrite score_between; cbn [value mirror]; try apply mirror_valid; auto; try lia.
    set (b := right_bound _ _ 1) in *.
    replace (- y - - value q) with ((value q - value p) - (y - value p)) by lia.
    replace (value q - y) with ((value q - value p) - (y - value p)) by lia.
    replace (value q - value p - (y - value p)) with ((- y) - (- value q)) by lia.
    replace (value q - value p) with (- value p - - value q) by lia.
    apply fraction_le; lia. }
  destruct (Z.eq_dec y (value p)) as [E|E].
  - rewrite right_score_plateau by (easy || lia). subst y.
    pose proof (fraction_unit (value q - value p) (value q - value p) ltac:(lia)). lra.
  - rewrite score_between by (easy || lia).
    pose proof (fraction_le (value p) (value p) (right_bound r p 1) (value q) y
      ltac:(lia) ltac:(lia) ltac:(lia) ltac:(lia)) as R.
    assert (IZR (y - value p) / IZR (value q - value p)
      + IZR (value q - y) / IZR (value q - value p) = 1)%R; [|lra].
    rewrite !minus_IZR. field. rewrite <- minus_IZR. apply IZR_neq. lia.
Qed.

(** The reflective score moves by at most one too, where there is no plateau. *)
Theorem signed_score_moves_by_at_most_one r p q y :
  valid r p -> valid r q -> neighbours p q -> wider r = 0 -> low r <= y <= high r ->
  (Rabs (val (signed_score r q y) - val (signed_score r p y)) <= 1)%R.
Proof.
  intros P Q [H H'] W Hy. apply Rabs_le. rewrite !signed_sides by easy.
  destruct (Z.le_gt_cases (value p) y) as [A|A]; destruct (Z.le_gt_cases (value q) y) as [B|B].
  - rewrite !left_score_plateau by easy.
    pose proof (right_score_shift true r p q 1 y P Q H' ltac:(lia)).
    pose proof (right_score_shift true r q p 1 y Q P H ltac:(lia)). cbn in *. lra.
  - rewrite (left_score_plateau true r p), (right_score_plateau true r q) by (easy || lia).
    pose proof (crossing r p q y P Q (conj H H') W ltac:(lia)). lra.
  - rewrite (left_score_plateau true r q), (right_score_plateau true r p) by (easy || lia).
    pose proof (crossing r q p y Q P (conj H' H) W ltac:(lia)). lra.
  - rewrite !(right_score_plateau true) by (easy || lia).
    pose proof (left_score_shift true r p q 1 y P Q H' ltac:(lia)).
    pose proof (left_score_shift true r q p 1 y Q P H ltac:(lia)). cbn in *. lra.
Qed.

(** For a monotone statistic it moves in one direction. *)
Theorem signed_score_one_way r p q y :
  valid r p -> valid r q -> below_all p q -> low r <= y <= high r ->
  (val (signed_score r q y) <= val (signed_score r p y))%R.
Proof.
  intros P Q H Hy. rewrite !signed_sides by easy.
  pose proof (right_score_below true r p q y P Q H ltac:(lia)).
  pose proof (left_score_below true r p q y P Q H ltac:(lia)). lra.
Qed.

(** * The mechanisms *)

Definition positive (x : ratio) : Prop := 0 < fst x /\ 0 < snd x.

Lemma val_times x y : snd x <> 0 -> snd y <> 0 -> val (times x y) = (val x * val y)%R.
Proof.
  intros. unfold val, times. cbn. rewrite !mult_IZR. field. split; now apply IZR_neq.
Qed.

Lemma val_half x : snd x <> 0 -> val (half x) = (val x / 2)%R.
Proof. intros. unfold val, half. cbn [fst snd]. rewrite mult_IZR. field. now apply IZR_neq. Qed.

Lemma val_positive x : positive x -> (0 < val x)%R.
Proof.
  intros [A B]. apply IZR_lt in A, B. unfold val.
  apply Rmult_lt_0_compat; [easy | now apply Rinv_0_lt_compat].
Qed.

Lemma side_score_denominator sloped U last y : y <= U last ->
  snd (side_score sloped U last y) <> 0.
Proof.
  intros Hy. destruct (level_spec U last y Hy) as (A & B & C). unfold side_score.
  destruct (level U last y) as [|m]; [easy|].
  specialize (C m ltac:(lia)). destruct sloped; cbn; lia.
Qed.

Lemma score_denominator sloped r p y : low r <= y <= high r -> snd (score sloped r p y) <> 0.
Proof.
  intros Hy. unfold score.
  destruct (_ <=? _); apply side_score_denominator; rewrite right_bound_last; cbn; lia.
Qed.

Lemma signed_denominator r p y : low r <= y <= high r -> snd (signed_score r p y) <> 0.
Proof.
  intros Hy. unfold signed_score.
  destruct (_ <=? _); cbn; apply side_score_denominator; rewrite right_bound_last; cbn; lia.
Qed.

(** The law of [InverseSensitivity] (flat) and of [PiecewiseLaplace] (sloped). *)
Definition levels_law (epsilon : ratio) (sloped : bool) (r : public) (p : profile) : Z -> R :=
  prob (weight (fun _ => 1%R) (fun y => val (exponent epsilon sloped r p y))) (points r).

(** Both are epsilon-DP with epsilon-bounded range, for every profile that obeys the law. *)
Theorem levels_law_private epsilon sloped r p q :
  positive epsilon -> valid r p -> valid r q -> neighbours p q ->
  close (val epsilon) (points r) (levels_law epsilon sloped r p) (levels_law epsilon sloped r q) /\
  bounded_range (val epsilon) (points r)
    (levels_law epsilon sloped r p) (levels_law epsilon sloped r q).
Proof.
  intros He P Q H. replace (val epsilon) with (val epsilon / 2 + val epsilon / 2)%R by lra.
  apply exponents_private; [intros; lra|].
  intros y Hy. apply in_points in Hy.
  pose proof (score_moves_by_at_most_one sloped r p q y P Q H Hy) as M.
  pose proof (val_positive epsilon He) as Hv. destruct He as [_ He].
  assert (snd (half epsilon) <> 0) by (cbn [half snd]; lia).
  unfold exponent. rewrite !val_times, !val_half by (now apply score_denominator || lia).
  apply within in M. nra.
Qed.

(** The exponent as a function of the signed score: a (s - tau)+ + b (tau - s)+. *)
Lemma shifted_exponent_val a b tau r p y : positive a -> positive b -> low r <= y <= high r ->
  0 < snd (signed_score r p y) ->
  val (shifted_exponent a b tau r p y) =
    (val a * Rmax 0 (val (signed_score r p y) - IZR tau)
     + val b * Rmax 0 (IZR tau - val (signed_score r p y)))%R.
Proof.
  intros [_ A] [_ B] Hy Hs. unfold shifted_exponent.
  set (s := signed_score r p y) in *. set (excess := fst s - tau * snd s).
  assert (val s - IZR tau = IZR excess / IZR (snd s))%R as E.
  { unfold val, excess. rewrite minus_IZR, mult_IZR. field. apply IZR_neq. lia. }
  replace (IZR tau - val s)%R with (- (val s - IZR tau))%R by lra. rewrite E.
  assert (0 < / IZR (snd s))%R by (now apply Rinv_0_lt_compat, IZR_lt).
  destruct (Z.leb_spec 0 excess) as [G|G].
  - assert (0 <= IZR excess)%R by (now apply IZR_le).
    rewrite Rmax_right, Rmax_left by (unfold Rdiv; nra).
    unfold val. cbn [fst snd]. rewrite Z.abs_eq, !mult_IZR by easy. field.
    repeat split; apply IZR_neq; lia.
  - assert (IZR excess < 0)%R by (now apply (IZR_lt excess 0)).
    rewrite Rmax_left, Rmax_right by (unfold Rdiv; nra).
    unfold val. cbn [fst snd]. rewrite Z.abs_neq, !mult_IZR, opp_IZR by lia. field.
    repeat split; apply IZR_neq; lia.
Qed.

Lemma signed_denominator_positive r p y : low r <= y <= high r -> 0 < snd (signed_score r p y).
Proof.
  assert (forall U last y, y <= U last -> 0 < snd (side_score true U last y)) as G.
  { clear. intros U last y Hy. destruct (level_spec U last y Hy) as (A & B & C).
    unfold side_score. destruct (level U last y) as [|m]; [easy|].
    specialize (C m ltac:(lia)). cbn. lia. }
  intros Hy. unfold signed_score.
  destruct (_ <=? _); cbn; apply G; rewrite right_bound_last; cbn; lia.
Qed.

(** The law of the shifted form: a public list of indices, each with its public lattice point
    ([sampling/shifted.py]); what is released is a function of the index. *)
Definition shifted_law {I : Type} (above below : ratio) (tau : Z) (indices : list I)
  (point : I -> Z) (r : public) (p : profile) : I -> R :=
  prob (weight (fun _ => 1%R) (fun i => val (shifted_exponent above below tau r p (point i))))
    indices.

(** Any public base and shift at equal rates epsilon / 2. *)
Theorem shifted_law_private {I} epsilon tau (indices : list I) point r p q :
  positive epsilon -> valid r p -> valid r q -> neighbours p q -> wider r = 0 ->
  (forall i, In i indices -> low r <= point i <= high r) ->
  let law := shifted_law (half epsilon) (half epsilon) tau indices point r in
  close (val epsilon) indices (law p) (law q) /\
  bounded_range (val epsilon) indices (law p) (law q).
Proof.
  intros He P Q H W Hi law. subst law. unfold shifted_law.
  replace (val epsilon) with (val epsilon / 2 + val epsilon / 2)%R by lra.
  apply exponents_private; [intros; lra|].
  intros i Hin. specialize (Hi i Hin).
  pose proof (signed_score_moves_by_at_most_one r p q (point i) P Q H W Hi) as M.
  pose proof (val_positive epsilon He) as Hv.
  assert (positive (half epsilon)) by (destruct He; split; cbn [half fst snd]; lia).
  rewrite !shifted_exponent_val, val_half by (auto using signed_denominator_positive; destruct He; lia).
  apply within in M. destruct M. unfold Rmax.
  repeat destruct (Rle_dec _ _); nra.
Qed.

(** Free shares of epsilon, [above + below = epsilon], for a monotone statistic. *)
Theorem shifted_law_monotone_shares {I} above below tau (indices : list I) point r p q :
  positive above -> positive below -> valid r p -> valid r q -> neighbours p q -> one_way p q ->
  wider r = 0 -> (forall i, In i indices -> low r <= point i <= high r) ->
  let law := shifted_law above below tau indices point r in
  close (val above + val below) indices (law p) (law q) /\
  bounded_range (val above + val below) indices (law p) (law q).
Proof.
  intros Ha Hb P Q H M W Hi law. subst law. unfold shifted_law.
  pose proof (val_positive above Ha). pose proof (val_positive below Hb).
  assert (forall p q i, valid r p -> valid r q -> neighbours p q -> below_all p q -> In i indices ->
    let e p := val (shifted_exponent above below tau r p (point i)) in
    (- val below <= e p - e q <= val above)%R) as G.
  { clear P Q H M. intros u v i U V H M Hin e. subst e. specialize (Hi i Hin). cbn beta.
    pose proof (signed_score_moves_by_at_most_one r u v (point i) U V H W Hi) as D.
    pose proof (signed_score_one_way r u v (point i) U V M Hi).
    rewrite !shifted_exponent_val by (auto using signed_denominator_positive).
    apply within in D. destruct D. unfold Rmax.
    repeat destruct (Rle_dec _ _); nra. }
  destruct M as [M|M].
  - rewrite Rplus_comm. apply exponents_private; [intros; lra|].
    intros i Hin. specialize (G p q i P Q H M Hin). cbn in G. lra.
  - apply exponents_private; [intros; lra|].
    intros i Hin. destruct H. specialize (G q p i Q P ltac:(split; easy) M Hin). cbn in G. lra.
Qed.
