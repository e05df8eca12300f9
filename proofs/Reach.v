(** Where a sloped score is reached: from some point on it is at least a quotient, before another
    one it is at most that.

    Model of [Score] in [sampling/shifted.py] ([.bound], [.first_at_least], [.first_above]). *)

From Coq Require Import ZArith List Reals Lra Lia Bool.
From LeastNoise Require Import Law Score Blocks.
Import ListNotations.
Open Scope Z_scope.

(** * The model *)

(** [Score.bound]: the bound of a level on the right, or of minus a level on the left. *)
Definition bound (r : public) (p : profile) (l : Z) : Z :=
  if 0 <=? l then right_bound r p (Z.to_nat l)
  else - right_bound (mirror_public r) (mirror p) (Z.to_nat (- l)).

Definition first_at_least (r : public) (p : profile) (top bottom : Z) : Z :=
  if 0 <? top then
    let level := - (- top / bottom) in
    if Z.of_nat (depth r) + 1 <? level then high r + 1
    else
      let start := bound r p (level - 1) in
      let size := bound r p level - start in
      start + Z.max 1 (- (- (top - (level - 1) * bottom) * size / bottom))
  else
    let level := - top / bottom in
    if Z.of_nat (depth r) <? level then low r
    else
      let start := bound r p (- level) in
      let size := start - bound r p (- level - 1) in
      start - (- top - level * bottom) * size / bottom.

Definition first_above (r : public) (p : profile) (top bottom : Z) : Z :=
  if 0 <=? top then
    let level := top / bottom in
    if Z.of_nat (depth r) <? level then high r + 1
    else
      let start := bound r p level in
      let size := bound r p (level + 1) - start in
      start + (top - level * bottom) * size / bottom + 1
  else
    let level := - (top / bottom) in
    if Z.of_nat (depth r) + 1 <? level then low r
    else
      let start := bound r p (- (level - 1)) in
      let size := start - bound r p (- level) in
      if size =? 0 then start
      else start - (- (- (- top - (level - 1) * bottom) * size / bottom) - 1).

(** * Scores: at least top / bottom from there on, at most before *)

Lemma side_score_monotone U last y z : y <= z -> z <= U last -> y <= U last ->
  (val (side_score true U last y) <= val (side_score true U last z))%R.
Proof.
  intros H Hz Hy. destruct (side_score_in_level true U last y Hy) as (Ay & A0 & _).
  destruct (side_score_in_level true U last z Hz) as (_ & _ & Az).
  destruct (level_spec U last y Hy) as (Ly & By & Cy). destruct (level_spec U last z Hz) as (Lz & Bz & Cz).
  assert (level U last y <= level U last z)%nat as L by (apply level_least; lia).
  destruct (level U last z) as [|n] eqn:Ez.
  { rewrite A0 by lia. now apply side_score_nonneg. }
  specialize (Az n eq_refl).
  destruct (Nat.eq_dec (level U last y) (S n)) as [Ey|Ey].
  - unfold side_score. rewrite Ey, Ez. specialize (Cy n ltac:(lia)).
    rewrite !val_sloped by (rewrite Ey in By; lia). apply Rplus_le_compat_l.
    apply Rmult_le_compat_r.
    + left. apply Rinv_0_lt_compat, IZR_lt. rewrite Ey in By. lia.
    + apply IZR_le. lia.
  - assert (level U last y <= n)%nat as G by lia. apply le_INR in G. lra.
Qed.

(** A sloped score is at most top / bottom up to the code's last distance. *)
Lemma sloped_until U last top bottom d : (forall l, U l <= U (S l)) -> 0 < bottom -> 0 <= top ->
  let level := top / bottom in
  let start := U (Z.to_nat level) in
  let size := U (Z.to_nat (level + 1)) - start in
  level + 1 <= Z.of_nat last -> d <= U last ->
  d <= start + (top - level * bottom) * size / bottom ->
  (val (side_score true U last d) <= IZR top / IZR bottom)%R.
Proof.
  intros M Hbot Htop lv start size L Hd H.
  assert (0 < IZR bottom)%R as Rb by now apply IZR_lt.
  assert (0 <= lv) as L0 by (apply Z.div_pos; lia).
  pose proof (Z.mul_div_le top bottom Hbot) as T1. pose proof (Z.mul_succ_div_gt top bottom Hbot) as T2.
  fold lv in T1, T2. set (x := top - lv * bottom) in *.
  assert (0 <= x < bottom) as X by (unfold x; lia).
  assert (0 <= size) as Hs.
  { unfold size, start. replace (Z.to_nat (lv + 1)) with (S (Z.to_nat lv)) by lia.
    specialize (M (Z.to_nat lv)). lia. }
  replace (IZR top / IZR bottom)%R with (IZR lv + IZR x / IZR bottom)%R.
  2:{ unfold x. rewrite minus_IZR, mult_IZR. field. lra. }
  assert (0 <= IZR x / IZR bottom)%R as Xr.
  { apply Rmult_le_pos; [apply IZR_le; lia | left; now apply Rinv_0_lt_compat]. }
  destruct (side_score_in_level true U last d Hd) as (A & _ & _).
  destruct (level_spec U last d Hd) as (_ & B & C).
  destruct (Z.le_gt_cases d start) as [In|Out].
  - assert (level U last d <= Z.to_nat lv)%nat as Lv by (apply level_least; [lia | easy]).
    apply le_INR in Lv. rewrite (INR_IZR_INZ (Z.to_nat lv)), Z2Nat.id in Lv by easy. lra.
  - assert (x * size / bottom <= size) as Q by (apply Z.div_le_upper_bound; nia).
    assert (level U last d <= S (Z.to_nat lv))%nat as Lv.
    { apply level_least; [lia|]. replace (S (Z.to_nat lv)) with (Z.to_nat (lv + 1)) by lia.
      unfold size in *. lia. }
    assert (level U last d = S (Z.to_nat lv)) as E.
    { destruct (Nat.eq_dec (level U last d) (S (Z.to_nat lv))) as [|N]; [easy|].
      assert (forall j k, (j <= k)%nat -> U j <= U k) as Mono.
      { intros j k K. induction K as [|k _ IH]; [lia|]. specialize (M k). lia. }
      specialize (Mono (level U last d) (Z.to_nat lv) ltac:(lia)). unfold start in *. lia. }
    rewrite E in B. replace (S (Z.to_nat lv)) with (Z.to_nat (lv + 1)) in B by lia.
    assert (0 < size) as S0 by (unfold size; lia).
    unfold side_score. rewrite E. replace (S (Z.to_nat lv)) with (Z.to_nat (lv + 1)) by lia.
    fold start. fold size. rewrite Z2Nat.id by easy. rewrite val_sloped by easy.
    apply Rplus_le_compat_l. pose proof (Z.mul_div_le (x * size) bottom Hbot) as D.
    assert ((d - start) * bottom <= x * size) as G by nia. apply IZR_le in G. rewrite !mult_IZR in G.
    assert (0 < IZR size)%R by now apply IZR_lt.
    apply Rmult_le_reg_r with (IZR bottom * IZR size)%R; [nra|].
    replace (IZR x / IZR bottom * (IZR bottom * IZR size))%R with (IZR x * IZR size)%R by (field; lra).
    replace (IZR (d - start) / IZR size * (IZR bottom * IZR size))%R
      with (IZR (d - start) * IZR bottom)%R by (field; lra). exact G.
Qed.

Lemma right_bound_widens r p : valid r p -> forall l, right_bound r p l <= right_bound r p (S l).
Proof. intros P l. pose proof (reach_widens r p P l). unfold reach in *. lia. Qed.

Lemma right_bound_first r p : valid r p -> wider r = 0 -> right_bound r p 0 = value p.
Proof. intros P W. unfold right_bound. cbn. destruct P. lia. Qed.

Lemma right_bound_from r p l : valid r p -> wider r = 0 -> value p <= right_bound r p l <= high r.
Proof.
  intros P W. pose proof (right_bound_first r p P W).
  assert (right_bound r p 0 <= right_bound r p l).
  { induction l as [|l IH]; [lia|]. pose proof (right_bound_widens r p P l). lia. }
  split; [lia|]. unfold right_bound. destruct P. destruct (Nat.ltb _ _); lia.
Qed.

Section Side.
Variable r : public.
Variable p : profile.
Hypothesis p_valid : valid r p.
Hypothesis no_plateau : wider r = 0.

Let U := right_bound r p.
Let V := right_bound (mirror_public r) (mirror p).

Lemma mirrored_valid : valid (mirror_public r) (mirror p).
Proof. now apply mirror_valid. Qed.

Lemma bound_right l : 0 <= l -> bound r p l = U (Z.to_nat l).
Proof. intros H. unfold bound. now destruct (Z.leb_spec 0 l); [|lia]. Qed.

Lemma bound_left l : 0 <= l -> bound r p (- l) = - V (Z.to_nat l).
Proof.
  intros H. unfold bound. destruct (Z.leb_spec 0 (- l)); [|now rewrite Z.opp_involutive].
  replace l with 0 by lia. unfold V. cbn [Z.opp Z.to_nat].
  rewrite !right_bound_first by (auto using mirrored_valid). cbn. lia.
Qed.

Lemma signed_right y : value p <= y ->
  val (signed_score r p y) = val (side_score true U (S (depth r)) y).
Proof. intros H. unfold signed_score. now destruct (Z.leb_spec (value p) y); [|lia]. Qed.

Lemma signed_left y : y <= value p ->
  val (signed_score r p y) = (- val (side_score true V (S (depth r)) (- y)))%R.
Proof.
  intros H. rewrite (signed_sides r p y p_valid), (right_score_plateau true r p y p_valid H).
  change (left_score true r p y) with (side_score true V (S (depth r)) (- y)). lra.
Qed.

Lemma right_inside y : y <= high r -> y <= U (S (depth r)).
Proof. intros H. unfold U. now rewrite right_bound_last. Qed.

Lemma left_inside y : low r <= y -> - y <= V (S (depth r)).
Proof.
  intros H. unfold V. change (depth r) with (depth (mirror_public r)).
  rewrite right_bound_last. cbn. lia.
Qed.

Lemma side_below_depth W y : y <= W (S (depth r)) ->
  (val (side_score true W (S (depth r)) y) <= IZR (Z.of_nat (depth r) + 1))%R.
Proof.
  intros H. destruct (side_score_in_level true W (S (depth r)) y H) as (A & _).
  destruct (level_spec W (S (depth r)) y H) as (L & _). apply le_INR in L.
  rewrite INR_IZR_INZ in L at 1. rewrite (INR_IZR_INZ (S _)), Nat2Z.inj_succ in L.
  rewrite INR_IZR_INZ in A. unfold Z.succ in L. lra.
Qed.

(** The score rises along the lattice. *)
Theorem signed_score_monotone y z : low r <= y <= z -> z <= high r ->
  (val (signed_score r p y) <= val (signed_score r p z))%R.
Proof.
  intros H Hz. destruct (Z.le_gt_cases (value p) y) as [A|A].
  - rewrite !signed_right by lia. apply side_score_monotone; auto using right_inside; try lia.
    apply right_inside. lia.
  - rewrite (signed_left y) by lia. destruct (Z.le_gt_cases (value p) z) as [B|B].
    + rewrite signed_right by lia.
      pose proof (side_score_nonneg true U (S (depth r)) z (right_inside z Hz)).
      pose proof (side_score_nonneg true V (S (depth r)) (- y) (left_inside y ltac:(lia))). lra.
    + rewrite signed_left by lia. apply Ropp_le_contravar.
      apply side_score_monotone; [lia | apply left_inside; lia | apply left_inside; lia].
Qed.

Lemma quotient_sign top bottom : 0 < bottom ->
  ((0 <= top -> (0 <= IZR top / IZR bottom)%R) /\ (top <= 0 -> (IZR top / IZR bottom <= 0)%R)).
Proof.
  intros H. assert (0 < / IZR bottom)%R by (now apply Rinv_0_lt_compat, IZR_lt). unfold Rdiv.
  split; intros G; apply IZR_le in G; nra.
Qed.

Lemma quotient_le top bottom n : 0 < bottom -> n * bottom <= top -> (IZR n <= IZR top / IZR bottom)%R.
Proof.
  intros H G. apply IZR_lt in H. apply IZR_le in G. rewrite mult_IZR in G.
  apply Rmult_le_reg_r with (IZR bottom); [easy|].
  replace (IZR top / IZR bottom * IZR bottom)%R with (IZR top) by (field; lra). lra.
Qed.

Lemma quotient_opp top bottom : (IZR (- top) / IZR bottom = - (IZR top / IZR bottom))%R.
Proof. rewrite opp_IZR. unfold Rdiv. ring. Qed.

(** From [first_at_least] on the score is at least top / bottom. *)
Theorem first_at_least_reached top bottom y : 0 < bottom -> low r <= y <= high r ->
  first_at_least r p top bottom <= y -> (IZR top / IZR bottom <= val (signed_score r p y))%R.
Proof.
  intros Hb Hy H. unfold first_at_least in H.
  destruct (quotient_sign top bottom Hb) as [Pos Neg]. destruct (Z.ltb_spec 0 top) as [T|T].
  - set (lv := - (- top / bottom)) in *.
    assert (1 <= lv) as L1.
    { pose proof (Z.mul_div_le (- top) bottom Hb). unfold lv. nia. }
    destruct (Z.ltb_spec (Z.of_nat (depth r) + 1) lv) as [D|D]; [lia|].
    rewrite !bound_right in H by lia.
    pose proof (right_bound_from r p (Z.to_nat (lv - 1)) p_valid no_plateau).
    rewrite signed_right by (unfold U in *; lia).
    apply (sloped_from U (S (depth r)) top bottom y (right_bound_widens r p p_valid) Hb);
      [fold lv; lia | apply right_inside; lia | fold lv; lia].
  - set (lv := - top / bottom) in *.
    destruct (Z.ltb_spec (Z.of_nat (depth r)) lv) as [D|D].
    { pose proof (Z.mul_div_le (- top) bottom Hb) as M. fold lv in M.
      assert (IZR (Z.of_nat (depth r) + 1) <= IZR (- top) / IZR bottom)%R as Q
        by (apply quotient_le; nia).
      rewrite quotient_opp in Q. destruct (Z.le_gt_cases (value p) y) as [A|A].
      - rewrite signed_right by easy.
        pose proof (side_score_nonneg true U (S (depth r)) y (right_inside y ltac:(lia))).
        specialize (Neg T). lra.
      - rewrite signed_left by lia.
        pose proof (side_below_depth V (- y) (left_inside y ltac:(lia))). lra. }
    destruct (Z.le_gt_cases (value p) y) as [A|A].
    { rewrite signed_right by easy.
      pose proof (side_score_nonneg true U (S (depth r)) y (right_inside y ltac:(lia))).
      specialize (Neg T). lra. }
    assert (0 <= lv) as L0 by (apply Z.div_pos; lia).
    replace (- lv - 1) with (- (lv + 1)) in H by lia. rewrite !bound_left in H by lia.
    rewrite signed_left by lia.
    enough (val (side_score true V (S (depth r)) (- y)) <= IZR (- top) / IZR bottom)%R as G
      by (rewrite quotient_opp in G; lra).
    apply (sloped_until V (S (depth r)) (- top) bottom (- y)
      (right_bound_widens _ _ mirrored_valid) Hb);
      [lia | fold lv; lia | apply left_inside; lia | fold lv].
    replace (- V (Z.to_nat lv) - - V (Z.to_nat (lv + 1)))
      with (V (Z.to_nat (lv + 1)) - V (Z.to_nat lv)) in H by lia. lia.
Qed.

(** Before [first_above] it is at most that. *)
Theorem first_above_not_reached top bottom y : 0 < bottom -> low r <= y <= high r ->
  y < first_above r p top bottom -> (val (signed_score r p y) <= IZR top / IZR bottom)%R.
Proof.
  intros Hb Hy H. unfold first_above in H.
  destruct (quotient_sign top bottom Hb) as [Pos Neg]. destruct (Z.leb_spec 0 top) as [T|T].
  - set (lv := top / bottom) in *.
    pose proof (Z.mul_div_le top bottom Hb) as M. fold lv in M.
    destruct (Z.le_gt_cases (value p) y) as [A|A].
    2:{ rewrite signed_left by lia. specialize (Pos T).
        pose proof (side_score_nonneg true V (S (depth r)) (- y) (left_inside y ltac:(lia))). lra. }
    rewrite signed_right by easy.
    destruct (Z.ltb_spec (Z.of_nat (depth r)) lv) as [D|D].
    { pose proof (side_below_depth U y (right_inside y ltac:(lia))).
      assert (IZR (Z.of_nat (depth r) + 1) <= IZR top / IZR bottom)%R by (apply quotient_le; nia). lra. }
    assert (0 <= lv) as L0 by (apply Z.div_pos; lia). rewrite !bound_right in H by lia.
    apply (sloped_until U (S (depth r)) top bottom y (right_bound_widens r p p_valid) Hb T);
      [fold lv; lia | apply right_inside; lia | fold lv; lia].
  - set (lv := - (top / bottom)) in *.
    assert (1 <= lv) as L1.
    { pose proof (Z.mul_div_le top bottom Hb). unfold lv. nia. }
    destruct (Z.ltb_spec (Z.of_nat (depth r) + 1) lv) as [D|D]; [lia|].
    rewrite !bound_left in H by lia.
    set (start := V (Z.to_nat (lv - 1))) in *. set (size := V (Z.to_nat lv) - start) in *.
    replace (- start - - V (Z.to_nat lv)) with size in H by (unfold size; lia).
    assert (start + Z.max 1 (- (- (- top - (lv - 1) * bottom) * size / bottom)) <= - y) as G.
    { assert (0 <= size) as S0.
      { unfold size, start. replace (Z.to_nat lv) with (S (Z.to_nat (lv - 1))) by lia.
        pose proof (right_bound_widens _ _ mirrored_valid (Z.to_nat (lv - 1))).
        fold V in H0. lia. }
      set (x := - top - (lv - 1) * bottom) in *.
      assert (0 < x) as X.
      { pose proof (Z.mul_succ_div_gt top bottom Hb). unfold x, lv. nia. }
      destruct (Z.eqb_spec size 0) as [Z0|N0].
      - rewrite Z0, Z.mul_0_r, Z.div_0_l by lia. lia.
      - assert (- x * size / bottom < 0) by (apply Z.div_lt_upper_bound; nia). lia. }
    assert (y <= value p) as A.
    { pose proof (right_bound_from _ _ (Z.to_nat (lv - 1)) mirrored_valid no_plateau) as F.
      cbn [value mirror] in F. fold V in F. fold start in F. lia. }
    rewrite signed_left by easy.
    enough (IZR (- top) / IZR bottom <= val (side_score true V (S (depth r)) (- y)))%R as Q
      by (rewrite quotient_opp in Q; lra).
    pose proof (sloped_from V (S (depth r)) (- top) bottom (- y)
      (right_bound_widens _ _ mirrored_valid) Hb) as F.
    rewrite Z.opp_involutive in F. apply F; auto; try lia. apply left_inside. lia.
Qed.

(** An integer score: before it the score is at most that. *)
Theorem first_at_least_not_reached top y : low r <= y <= high r ->
  y < first_at_least r p top 1 -> (val (signed_score r p y) <= IZR top)%R.
Proof.
  intros Hy H. unfold first_at_least in H. destruct (Z.ltb_spec 0 top) as [T|T].
  - rewrite Z.div_1_r, Z.opp_involutive in H.
    destruct (Z.le_gt_cases (value p) y) as [A|A].
    2:{ rewrite signed_left by lia. apply (IZR_lt 0) in T.
        pose proof (side_score_nonneg true V (S (depth r)) (- y) (left_inside y ltac:(lia))). lra. }
    rewrite signed_right by easy.
    destruct (Z.ltb_spec (Z.of_nat (depth r) + 1) top) as [D|D].
    { pose proof (side_below_depth U y (right_inside y ltac:(lia))). apply IZR_lt in D. lra. }
    rewrite !bound_right in H by lia.
    pose proof (right_bound_widens r p p_valid (Z.to_nat (top - 1))) as M.
    replace (S (Z.to_nat (top - 1))) with (Z.to_nat top) in M by lia. fold U in M.
    assert (y <= U (Z.to_nat top)) as B.
    { replace (- (top - (top - 1) * 1) * (U (Z.to_nat top) - U (Z.to_nat (top - 1))) / 1)
        with (- (U (Z.to_nat top) - U (Z.to_nat (top - 1)))) in H by (rewrite Z.div_1_r; ring). lia. }
    destruct (side_score_in_level true U (S (depth r)) y (right_inside y ltac:(lia))) as (C & _).
    assert (level U (S (depth r)) y <= Z.to_nat top)%nat as L by (apply level_least; [lia | easy]).
    apply le_INR in L. rewrite (INR_IZR_INZ (Z.to_nat top)), Z2Nat.id in L by lia. lra.
  - rewrite Z.div_1_r in H.
    destruct (Z.ltb_spec (Z.of_nat (depth r)) (- top)) as [D|D]; [lia|].
    rewrite !bound_left in H by lia.
    replace ((- top - - top * 1) * _ / 1) with 0 in H
      by (replace (- top - - top * 1) with 0 by lia; now rewrite Z.mul_0_l).
    pose proof (right_bound_from _ _ (Z.to_nat (- top)) mirrored_valid no_plateau) as F.
    cbn [value mirror] in F. fold V in F.
    rewrite signed_left by lia.
    pose proof (side_score_above true V (S (depth r)) (- y) (Z.to_nat (- top))
      (right_bound_widens _ _ mirrored_valid) (left_inside y ltac:(lia)) ltac:(lia)) as A.
    rewrite INR_IZR_INZ, Z2Nat.id, opp_IZR in A by lia. lra.
Qed.

End Side.
