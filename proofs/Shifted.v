(** The shifted form as the code draws it: over the indices of public cells, from a public shift.

    Model of [ShiftedLaw] in [sampling/shifted.py]: what the sampler returns has the law of
    [Score.shifted_law]. *)

From Coq Require Import ZArith List Permutation Reals Lra Lia Bool.
From LeastNoise Require Import Law Score Dyadic Blocks Cells Reach.
Import ListNotations.
Open Scope Z_scope.

(** * The model *)

Definition smaller (x y : ratio) : ratio := if fst x * snd y <=? fst y * snd x then x else y.

Section Law.
Variable above below : ratio.
Variable tau : Z.
Variable corners : list Z.
Variable r : public.
Variable p : profile.

(** [ShiftedLaw.exponent_at]. *)
Definition index_exponent (i : Z) : ratio := shifted_exponent above below tau r p (point corners i).

(** [ShiftedLaw.mode]: the first index whose score is at least tau. *)
Definition mode : Z := first_at corners (first_at_least r p tau 1).

(** [ShiftedLaw.least]: the smaller exponent of those beside the mode. *)
Definition least_exponent : ratio :=
  if mode <=? 0 then index_exponent mode
  else if indices corners <=? mode then index_exponent (mode - 1)
  else smaller (index_exponent mode) (index_exponent (mode - 1)).

(** [ShiftedLaw.edge] of the right side (rate [above]) and of the left one. *)
Definition edge_scale (least rate : ratio) (block : Z) : Z * Z :=
  ((block * ln2_upper * snd least + fst least * 2 ^ ln2_bits) * snd rate,
   fst rate * snd least * 2 ^ ln2_bits).

Definition edge_right (first : Z) (least : ratio) (block : Z) : Z :=
  let (top, bottom) := edge_scale least above block in
  Z.max 1 (first_at corners (first_at_least r p (tau * bottom + top) bottom) - first + 1).

Definition edge_left (first : Z) (least : ratio) (block : Z) : Z :=
  let (top, bottom) := edge_scale least below block in
  Z.max 1 (first - first_at corners (first_above r p (tau * bottom - top) bottom) + 1).

(** [ShiftedLaw.index]: there is no point at distance 0. *)
Definition index_at (d : Z) : Z := if 0 <? d then mode + d - 1 else mode + d.

Definition shifted_cut (fuel : nat) : option (list (Z * Z)) :=
  let first := mode in
  let least := least_exponent in
  cut 0 fuel (edge_right first least) (edge_left first least) (indices corners - first) first 0 1 1 0.

(** * Exponents grow with the distance from the mode *)

Hypothesis above_positive : positive above.
Hypothesis below_positive : positive below.
Hypothesis corners_rise : forall i j, (i < j < length corners)%nat -> nth i corners 0 < nth j corners 0.
Hypothesis corners_some : (0 < length corners)%nat.
Hypothesis corners_public : low r <= corner corners 0 /\ corner corners (last_cell corners) <= high r.
Hypothesis p_valid : valid r p.
Hypothesis no_plateau : wider r = 0.

Let e (i : Z) : R := val (index_exponent i).
Let s (i : Z) : R := val (signed_score r p (point corners i)).

Lemma point_public i : 0 <= i < indices corners -> low r <= point corners i <= high r.
Proof. intros H. pose proof (point_range corners corners_rise corners_some i H). lia. Qed.

Lemma e_of_score i : 0 <= i < indices corners ->
  e i = (val above * Rmax 0 (s i - IZR tau) + val below * Rmax 0 (IZR tau - s i))%R.
Proof.
  intros H. apply shifted_exponent_val; auto using point_public, signed_denominator_positive.
Qed.

Lemma exponent_denominator i : 0 <= i < indices corners -> 0 < snd (index_exponent i).
Proof.
  intros H. unfold index_exponent, shifted_exponent. cbn [snd].
  pose proof (signed_denominator_positive r p (point corners i) (point_public i H)).
  destruct above_positive, below_positive. destruct (0 <=? _); nia.
Qed.

Lemma mode_range : 0 <= mode <= indices corners.
Proof. apply first_at_range; auto. Qed.

Lemma score_of_index y i : 0 <= i < indices corners ->
  first_at corners y <= i <-> y <= point corners i.
Proof. now apply first_at_spec. Qed.

Lemma score_right i : mode <= i < indices corners -> (IZR tau <= s i)%R.
Proof.
  intros H. pose proof mode_range. replace (IZR tau) with (IZR tau / IZR 1)%R by field.
  apply first_at_least_reached; [auto | auto | lia | apply point_public; lia |].
  apply score_of_index; [lia | unfold mode in *; lia].
Qed.

Lemma score_left i : 0 <= i < mode -> (s i <= IZR tau)%R.
Proof.
  intros H. pose proof mode_range. apply first_at_least_not_reached; [auto | auto | apply point_public; lia |].
  destruct (Z.lt_ge_cases (point corners i) (first_at_least r p tau 1)) as [|G]; [easy|].
  apply score_of_index in G; [unfold mode in *; lia | lia].
Qed.

Lemma score_rises i j : 0 <= i <= j -> j < indices corners -> (s i <= s j)%R.
Proof.
  intros H L. pose proof (point_public i ltac:(lia)). pose proof (point_public j ltac:(lia)).
  apply signed_score_monotone; auto; [|lia]. split; [lia|]. now apply point_monotone.
Qed.

Lemma e_right i : mode <= i < indices corners -> e i = (val above * (s i - IZR tau))%R.
Proof.
  intros H. pose proof mode_range. pose proof (score_right i H).
  rewrite e_of_score, Rmax_right, Rmax_left by (lia || lra). ring.
Qed.

Lemma e_left i : 0 <= i < mode -> e i = (val below * (IZR tau - s i))%R.
Proof.
  intros H. pose proof mode_range. pose proof (score_left i H).
  rewrite e_of_score, Rmax_left, Rmax_right by (lia || lra). ring.
Qed.

Lemma smaller_le x y : 0 < snd x -> 0 < snd y ->
  (val (smaller x y) <= val x)%R /\ (val (smaller x y) <= val y)%R.
Proof.
  intros Hx Hy. assert (forall a b, 0 < snd a -> 0 < snd b -> fst a * snd b <= fst b * snd a ->
    (val a <= val b)%R) as G.
  { clear. intros a b A B H. apply IZR_lt in A, B. apply IZR_le in H. rewrite !mult_IZR in H.
    unfold val. apply Rmult_le_reg_r with (IZR (snd a) * IZR (snd b))%R; [nra|].
    replace (IZR (fst a) / IZR (snd a) * (IZR (snd a) * IZR (snd b)))%R
      with (IZR (fst a) * IZR (snd b))%R by (field; lra).
    replace (IZR (fst b) / IZR (snd b) * (IZR (snd a) * IZR (snd b)))%R
      with (IZR (fst b) * IZR (snd a))%R by (field; lra). exact H. }
  unfold smaller. destruct (Z.leb_spec (fst x * snd y) (fst y * snd x)).
  - split; [lra | now apply G].
  - split; [apply G; auto; lia | lra].
Qed.

Lemma indices_positive : 0 < indices corners.
Proof. unfold indices, last_cell, parts. lia. Qed.

Lemma val_nonneg x : 0 <= fst x -> 0 < snd x -> (0 <= val x)%R.
Proof.
  intros A B. unfold val. apply Rmult_le_pos; [now apply IZR_le|].
  left. now apply Rinv_0_lt_compat, IZR_lt.
Qed.

(** The least exponent is that of an index, and the least of all. *)
Lemma least_beside : exists i, 0 <= i < indices corners /\ least_exponent = index_exponent i.
Proof.
  pose proof mode_range. pose proof indices_positive. unfold least_exponent, smaller.
  destruct (Z.leb_spec mode 0); [exists mode; split; [lia | easy]|].
  destruct (Z.leb_spec (indices corners) mode); [exists (mode - 1); split; [lia | easy]|].
  destruct (_ <=? _); [exists mode | exists (mode - 1)]; (split; [lia | easy]).
Qed.

Theorem least_is_least i : 0 <= i < indices corners -> (val least_exponent <= e i)%R.
Proof.
  intros Hi. pose proof mode_range as M. pose proof (val_positive above above_positive).
  pose proof (val_positive below below_positive).
  assert (mode <= i -> (e mode <= e i)%R) as R.
  { intros G. rewrite !e_right by lia. pose proof (score_rises mode i ltac:(lia) ltac:(lia)). nra. }
  assert (i < mode -> (e (mode - 1) <= e i)%R) as L.
  { intros G. rewrite !e_left by lia. pose proof (score_rises i (mode - 1) ltac:(lia) ltac:(lia)). nra. }
  unfold least_exponent. destruct (Z.leb_spec mode 0); [apply R; lia|].
  destruct (Z.leb_spec (indices corners) mode); [apply L; lia|].
  destruct (smaller_le (index_exponent mode) (index_exponent (mode - 1))) as [A B];
    try (apply exponent_denominator; lia).
  unfold e in *. destruct (Z.le_gt_cases mode i) as [G|G]; [specialize (R G) | specialize (L G)]; lra.
Qed.

(** E less the least one at a signed distance. *)
Definition rise (d : Z) : R := if d =? 0 then 0%R else (e (index_at d) - val least_exponent)%R.

Lemma edge_scale_val rate block : positive rate -> 0 <= block ->
  let (top, bottom) := edge_scale least_exponent rate block in
  0 < bottom /\ (val rate * (IZR top / IZR bottom) = val least_exponent + IZR block * block_size)%R.
Proof.
  intros [Hn Hd] Hb. unfold edge_scale. destruct least_beside as (i & Hi & E).
  pose proof (exponent_denominator i Hi) as D. rewrite <- E in D.
  assert (0 < 2 ^ ln2_bits) as P by reflexivity. split; [nia|].
  apply IZR_lt in Hn, Hd, D, P. unfold val, block_size.
  rewrite !mult_IZR, plus_IZR, !mult_IZR. field. lra.
Qed.

Theorem shifted_right_edges b : 0 <= b -> from rise b (edge_right mode least_exponent b) (indices corners - mode).
Proof.
  intros Hb d Hd H. pose proof mode_range as M.
  pose proof (edge_scale_val above b above_positive Hb) as S. unfold edge_right in H.
  destruct (edge_scale least_exponent above b) as [top bottom]. destruct S as [S0 S].
  unfold rise, index_at. destruct (Z.eqb_spec d 0); [lia|]. destruct (Z.ltb_spec 0 d); [|lia].
  set (i := mode + d - 1). rewrite e_right by (unfold i; lia).
  assert (IZR (tau * bottom + top) / IZR bottom <= s i)%R as G.
  { apply first_at_least_reached; auto; [apply point_public; unfold i; lia|].
    apply score_of_index; unfold i; lia. }
  rewrite plus_IZR, mult_IZR in G. apply IZR_lt in S0.
  replace ((IZR tau * IZR bottom + IZR top) / IZR bottom)%R
    with (IZR tau + IZR top / IZR bottom)%R in G by (field; lra).
  pose proof (val_positive above above_positive). nra.
Qed.

Theorem shifted_left_edges b : 0 <= b -> from (fun d => rise (- d)) b (edge_left mode least_exponent b) mode.
Proof.
  intros Hb d Hd H. pose proof mode_range as M.
  pose proof (edge_scale_val below b below_positive Hb) as S. unfold edge_left in H.
  destruct (edge_scale least_exponent below b) as [top bottom]. destruct S as [S0 S].
  unfold rise, index_at. destruct (Z.eqb_spec (- d) 0); [lia|]. destruct (Z.ltb_spec 0 (- d)); [lia|].
  set (i := mode + - d). rewrite e_left by (unfold i; lia).
  assert (s i <= IZR (tau * bottom - top) / IZR bottom)%R as G.
  { apply first_above_not_reached; auto; [apply point_public; unfold i; lia|].
    destruct (Z.lt_ge_cases (point corners i) (first_above r p (tau * bottom - top) bottom)) as [|F];
      [easy|]. apply score_of_index in F; unfold i in *; lia. }
  rewrite minus_IZR, mult_IZR in G. apply IZR_lt in S0.
  replace ((IZR tau * IZR bottom - IZR top) / IZR bottom)%R
    with (IZR tau - IZR top / IZR bottom)%R in G by (field; lra).
  pose proof (val_positive below below_positive). nra.
Qed.

Variable fuel : nat.
Variable ends : list (Z * Z).
Hypothesis cut_ends : shifted_cut fuel = Some ends.

Definition shifted_blocks : list (list Z) := offsets false 1 1 ends.

(** Every point of a block j has E - E_least >= j ln2_upper / 2^64. *)
Theorem shifted_blocks_above j ys d : nth_error shifted_blocks j = Some ys -> In d ys ->
  (INR j * block_size <= rise d)%R.
Proof.
  intros Hj Hd. pose proof mode_range as M.
  rewrite INR_IZR_INZ. replace (Z.of_nat j) with (0 + Z.of_nat j) by lia.
  assert (0 <= rise 0)%R as Centre by (unfold rise; cbn; lra).
  refine (offsets_above _ _ rise _ _ 0 shifted_right_edges shifted_left_edges Centre fuel 0 1 1 0
    ends false ltac:(lia) ltac:(lia) ltac:(lia) ltac:(easy) _ _ cut_ends j ys d Hj Hd);
    intros d' H1 H2; rewrite Rmult_0_l; unfold rise, index_at.
  - destruct (Z.eqb_spec d' 0); [lia|]. destruct (Z.ltb_spec 0 d'); [|lia].
    pose proof (least_is_least (mode + d' - 1) ltac:(lia)). lra.
  - destruct (Z.eqb_spec (- d') 0); [lia|]. destruct (Z.ltb_spec 0 (- d')); [lia|].
    pose proof (least_is_least (mode + - d') ltac:(lia)). lra.
Qed.

(** Every index lies in one block. *)
Theorem shifted_blocks_partition :
  Permutation (map index_at (concat shifted_blocks)) (zrange 0 (indices corners)) /\
  ~ In 0 (concat shifted_blocks).
Proof.
  pose proof mode_range as M.
  assert (growing (indices corners - mode, mode) 1 1 ends) as G
    by (apply cut_growing in cut_ends; [exact cut_ends | lia | lia]).
  assert (ends <> []) as Hne.
  { intros E. rewrite E in cut_ends. clear - cut_ends. unfold shifted_cut in cut_ends.
    destruct fuel; cbn [cut] in cut_ends; [easy|].
    destruct (_ =? _) in cut_ends; [easy|]. destruct (_ <? _) in cut_ends; [easy|].
    destruct (cut _ _ _ _ _ _ _ _ _ _) in cut_ends; easy. }
  pose proof (offsets_partition false _ ends 1 1 G Hne) as P. cbn [fst snd app] in P.
  fold shifted_blocks in P. split.
  - etransitivity; [apply Permutation_map, P|].
    apply NoDup_Permutation; [| apply nodup_zrange |].
    + rewrite map_app, !map_map. apply nodup_app.
      * apply (NoDup_map_inv (fun i => i - mode + 1)). rewrite map_map.
        rewrite (map_ext_in _ (fun d => d)); [rewrite map_id; apply nodup_zrange|].
        intros d Hd. apply in_zrange in Hd. unfold index_at. destruct (Z.ltb_spec 0 d); lia.
      * apply (NoDup_map_inv (fun i => mode - i)). rewrite map_map.
        rewrite (map_ext_in _ (fun d => d)); [rewrite map_id; apply nodup_zrange|].
        intros d Hd. apply in_zrange in Hd. unfold index_at. destruct (Z.ltb_spec 0 (- d)); lia.
      * intros i H1 H2. apply in_map_iff in H1, H2. destruct H1 as (a & <- & Ha).
        destruct H2 as (b & E & Hb). apply in_zrange in Ha, Hb. unfold index_at in E.
        destruct (Z.ltb_spec 0 a), (Z.ltb_spec 0 (- b)); lia.
    + intros i. rewrite in_map_iff, in_zrange. split.
      * intros (d & <- & Hd). apply in_app_or in Hd. unfold index_at.
        destruct Hd as [Hd|Hd]; [apply in_zrange in Hd | apply in_map_iff in Hd;
          destruct Hd as (c & <- & Hc); apply in_zrange in Hc];
          [destruct (Z.ltb_spec 0 d) | destruct (Z.ltb_spec 0 (- c))]; lia.
      * intros Hi. unfold index_at. destruct (Z.le_gt_cases mode i) as [A|A].
        -- exists (i - mode + 1). destruct (Z.ltb_spec 0 (i - mode + 1)); [|lia].
           split; [lia|]. apply in_or_app. left. apply in_zrange. lia.
        -- exists (i - mode). destruct (Z.ltb_spec 0 (i - mode)); [lia|].
           split; [lia|]. apply in_or_app. right. apply in_map_iff. exists (mode - i).
           split; [lia|]. apply in_zrange. lia.
  - intros H. apply (Permutation_in _ P) in H. apply in_app_or in H.
    destruct H as [H|H]; [apply in_zrange in H; lia|].
    apply in_map_iff in H. destruct H as (c & E & Hc). apply in_zrange in Hc. lia.
Qed.

(** What [draw_offset] returns, as an index, summed over all its trials, has the law of
    [Score.shifted_law] over the indices of the cells. *)
Theorem sampler_is_shifted_law i : 0 <= i < indices corners ->
  infinite_sum (ends_at shifted_blocks rise (fun d => if index_at d =? i then 1 else 0)%R)
    (shifted_law above below tau (zrange 0 (indices corners)) (point corners) r p i).
Proof.
  intros Hi. destruct shifted_blocks_partition as [P N0].
  replace (shifted_law above below tau (zrange 0 (indices corners)) (point corners) r p i) with
    (total (fun d => exp (- rise d) * (if index_at d =? i then 1 else 0))%R (concat shifted_blocks)
     / total (fun d => exp (- rise d))%R (concat shifted_blocks))%R.
  - apply sampler_law; [exact shifted_blocks_above|].
    intros E. rewrite E in P. cbn in P. apply Permutation_nil in P.
    pose proof (proj2 (in_zrange 0 (indices corners) i) Hi) as F. now rewrite P in F.
  - unfold shifted_law. rewrite <- (exponents_shift _ _ (val least_exponent)).
    unfold prob, weight. rewrite Rmult_1_l.
    change (fun y => 1 * exp (- (val (shifted_exponent above below tau r p (point corners y))
      - val least_exponent)))%R with (fun y => 1 * exp (- (e y - val least_exponent)))%R.
    set (w := fun y => exp (- (e y - val least_exponent))).
    rewrite (total_ext (fun y => 1 * exp (- (e y - val least_exponent)))%R w) by (intros; unfold w; lra).
    assert (forall d, In d (concat shifted_blocks) -> exp (- rise d) = w (index_at d)) as W.
    { intros d Hd. unfold w, rise. destruct (Z.eqb_spec d 0) as [->|]; [easy | easy]. }
    rewrite (total_ext (fun d => exp (- rise d) * (if index_at d =? i then 1 else 0))%R
      (fun d => (fun y => w y * (if y =? i then 1 else 0)) (index_at d))%R)
      by (intros d Hd; now rewrite W).
    rewrite (total_ext (fun d => exp (- rise d)) (fun d => w (index_at d))) by exact W.
    rewrite <- (total_map (fun y => w y * (if y =? i then 1 else 0))%R index_at).
    rewrite <- (total_map w index_at). rewrite !(total_permutation _ _ _ P).
    rewrite total_one; [reflexivity | apply nodup_zrange | now apply in_zrange].
Qed.

End Law.
