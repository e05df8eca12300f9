(** The blocks that the code cuts are blocks as [Dyadic.v] needs them.

    Model of [LevelLaw.edge] and [blocks_of] in [sampling/dyadic.py], line by line: every point of
    the range lies in one block, and E >= j ln 2 in block j. *)

From Coq Require Import ZArith List Permutation Reals Lra Lia Bool.
From LeastNoise Require Import Law Score Dyadic.
Import ListNotations.
Open Scope Z_scope.

(** * The model *)

(** [LevelLaw.edge]: a distance from which E >= t_block. Odd blocks end where they begin. *)
Definition edge (rate : ratio) (sloped : bool) (reach : nat -> Z) (depth : nat) (block : Z) : Z :=
  if block =? 0 then 1
  else
    let block := block + block mod 2 in
    let num := fst rate in
    let den := snd rate in
    let top := block * ln2_upper * den in
    let bottom := num * 2 ^ ln2_bits in
    let level := - (- top / bottom) in
    if Z.of_nat depth + 1 <? level then reach (S depth) + 1
    else if sloped && (num * whole_levels <=? den) then reach (Z.to_nat level) + 1
    else
      let start := reach (Z.to_nat (level - 1)) in
      if negb sloped then start + 1
      else
        let size := reach (Z.to_nat level) - start in
        start + Z.max 1 (- (- (top - (level - 1) * bottom) * size / bottom)).

(** One side's next edge. *)
Definition next_edge (span done edge : Z) : Z :=
  if span <? done then span + 1 else Z.min (span + 1) (Z.max done edge).

(** [blocks_of]: where every block ends on the right and on the left, from 1 on; [centre] is 1 where
    there is a point at distance 0. *)
Fixpoint cut (centre : Z) (fuel : nat) (edge_right edge_left : Z -> Z) (span_right span_left : Z)
  (block right left known : Z) : option (list (Z * Z)) :=
  match fuel with
  | O => None
  | S fuel =>
      let r := next_edge span_right right (edge_right (block + 1)) in
      let l := next_edge span_left left (edge_left (block + 1)) in
      let count := r - right + (l - left) + (if block =? 0 then centre else 0) in
      let known := 2 * (known + count) in
      let rest := span_right + 1 - r + (span_left + 1 - l) in
      if rest =? 0 then Some [(r, l)]
      else if rest * 2 ^ rest_bits <? known then Some [(r, l); (span_right + 1, span_left + 1)]
      else option_map (cons (r, l))
        (cut centre fuel edge_right edge_left span_right span_left (block + 1) r l known)
  end.

Definition zrange (a b : Z) : list Z := map (fun i => a + Z.of_nat i) (seq 0 (Z.to_nat (b - a))).

(** [Blocks.point]: the signed distances of every block, the centre first, then right, then left. *)
Fixpoint offsets (first : bool) (right left : Z) (ends : list (Z * Z)) : list (list Z) :=
  match ends with
  | [] => []
  | (r, l) :: rest =>
      ((if first then [0] else []) ++ zrange right r ++ map Z.opp (zrange left l))
      :: offsets false r l rest
  end.

Definition reach (r : public) (p : profile) (l : nat) : Z := right_bound r p l - value p.

Definition blocks (fuel : nat) (epsilon : ratio) (sloped : bool) (r : public) (p : profile)
  : option (list (list Z)) :=
  let side r p := edge (half epsilon) sloped (reach r p) (depth r) in
  option_map (offsets true 1 1)
    (cut 1 fuel (side r p) (side (mirror_public r) (mirror p)) (high r - value p) (value p - low r)
       0 1 1 0).

(** * The edge *)

Lemma side_score_origin sloped U last y c :
  side_score sloped (fun l => U l - c) last (y - c) = side_score sloped U last y.
Proof.
  assert (level (fun l => U l - c) last (y - c) = level U last y) as E.
  { unfold level. generalize 0%nat as l. induction last as [|n IH]; intros l; cbn; [easy|].
    replace (y - c <=? U l - c) with (y <=? U l); [destruct (y <=? U l); auto|].
    destruct (Z.leb_spec y (U l)), (Z.leb_spec (y - c) (U l - c)); lia. }
  unfold side_score. rewrite E. destruct (level U last y) as [|m]; [easy|].
  destruct sloped; [|easy]. f_equal; [|lia].
  replace (U (S m) - c - (U m - c)) with (U (S m) - U m) by lia. lia.
Qed.

(** Beyond a level's bound the score is above it. *)
Lemma side_score_above sloped U last y m : (forall l, U l <= U (S l)) ->
  y <= U last -> U m < y -> (INR m < val (side_score sloped U last y))%R.
Proof.
  intros M Hy H. destruct (side_score_in_level sloped U last y Hy) as (_ & _ & A).
  destruct (level_spec U last y Hy) as (_ & B & _).
  assert (forall j k, (j <= k)%nat -> U j <= U k) as Mono.
  { intros j k L. induction L as [|k _ IH]; [lia|]. specialize (M k). lia. }
  destruct (level U last y) as [|n].
  - specialize (Mono O m ltac:(lia)). lia.
  - destruct (le_gt_dec m n) as [L|L].
    + specialize (A n eq_refl). apply le_INR in L. lra.
    + specialize (Mono (S n) m ltac:(lia)). lia.
Qed.

Lemma flat_score_above U last y m : (forall l, U l <= U (S l)) ->
  y <= U last -> U m < y -> (INR (S m) <= val (side_score false U last y))%R.
Proof.
  intros M Hy H. destruct (level_spec U last y Hy) as (_ & B & _).
  assert (forall j k, (j <= k)%nat -> U j <= U k) as Mono.
  { intros j k L. induction L as [|k _ IH]; [lia|]. specialize (M k). lia. }
  unfold side_score. destruct (level U last y) as [|n].
  - specialize (Mono O m ltac:(lia)). lia.
  - rewrite val_over_one, <- INR_IZR_INZ. apply le_INR.
    destruct (le_gt_dec m n) as [L|L]; [lia|]. specialize (Mono (S n) m ltac:(lia)). lia.
Qed.

(** A sloped score is at least top / bottom from the code's first distance on. *)
Lemma sloped_from U last top bottom d : (forall l, U l <= U (S l)) -> 0 < bottom ->
  let lv := - (- top / bottom) in
  let start := U (Z.to_nat (lv - 1)) in
  let size := U (Z.to_nat lv) - start in
  1 <= lv <= Z.of_nat last -> d <= U last ->
  start + Z.max 1 (- (- (top - (lv - 1) * bottom) * size / bottom)) <= d ->
  (IZR top / IZR bottom <= val (side_score true U last d))%R.
Proof.
  intros M Hbot lv start size L Hd H.
  assert (0 < IZR bottom)%R as Rb by now apply IZR_lt.
  assert (top <= lv * bottom) as Hl.
  { unfold lv. pose proof (Z.mul_div_le (- top) bottom Hbot). nia. }
  destruct (Z.le_gt_cases d (U (Z.to_nat lv))) as [In|Out].
  - (* d lies in level lv *)
    set (x := top - (lv - 1) * bottom) in *.
    assert (x * size <= (d - start) * bottom) as X.
    { pose proof (Z.mul_succ_div_gt (- x * size) bottom Hbot).
      pose proof (Z.mul_div_le (- x * size) bottom Hbot). nia. }
    assert (level U last d = Z.to_nat lv) as Lv.
    { apply Nat.le_antisymm; [apply level_least; lia|].
      destruct (level_spec U last d Hd) as (_ & A & _).
      destruct (le_gt_dec (Z.to_nat lv) (level U last d)) as [|G]; [easy|].
      assert (forall j k, (j <= k)%nat -> U j <= U k) as Mono.
      { intros j k K. induction K as [|k _ IH]; [lia|]. specialize (M k). lia. }
      specialize (Mono (level U last d) (Z.to_nat (lv - 1)) ltac:(lia)). unfold start in *. lia. }
    unfold side_score. rewrite Lv. replace (Z.to_nat lv) with (S (Z.to_nat (lv - 1))) by lia.
    replace (S (Z.to_nat (lv - 1))) with (Z.to_nat lv) by lia.
    fold start. fold size. rewrite Z2Nat.id by lia. rewrite val_sloped by (unfold size; lia).
    assert (0 < IZR size)%R by (apply IZR_lt; unfold size; lia).
    apply IZR_le in X. rewrite !mult_IZR in X.
    replace (IZR top / IZR bottom)%R with (IZR (lv - 1) + IZR x / IZR bottom)%R.
    2:{ unfold x. rewrite (minus_IZR top), mult_IZR. field. lra. }
    apply Rplus_le_compat_l. apply Rmult_le_reg_r with (IZR bottom * IZR size)%R; [nra|].
    replace (IZR x / IZR bottom * (IZR bottom * IZR size))%R with (IZR x * IZR size)%R by (field; lra).
    replace (IZR (d - start) / IZR size * (IZR bottom * IZR size))%R
      with (IZR (d - start) * IZR bottom)%R by (field; lra). exact X.
  - pose proof (side_score_above true U last d (Z.to_nat lv) M Hd Out) as A.
    rewrite INR_IZR_INZ, Z2Nat.id in A by lia.
    apply IZR_le in Hl. rewrite mult_IZR in Hl.
    apply Rle_trans with (IZR lv); [|lra]. apply Rmult_le_reg_r with (IZR bottom); [easy|].
    replace (IZR top / IZR bottom * IZR bottom)%R with (IZR top) by (field; lra). lra.
Qed.

(** From the edge of a block on, E is at least the block's number times the bound of ln 2. *)
Theorem edge_spec rate sloped U depth block d :
  positive rate -> (forall l, U l <= U (S l)) -> 0 <= block ->
  edge rate sloped U depth block <= d <= U (S depth) -> 1 <= d ->
  (IZR block * block_size <= val (times rate (side_score sloped U (S depth) d)))%R.
Proof.
  intros [Hn Hd] M Hb He Hd1.
  assert (snd rate <> 0) by lia.
  assert (snd (side_score sloped U (S depth) d) <> 0) by (apply side_score_denominator; lia).
  rewrite val_times by easy.
  assert (0 <= val (side_score sloped U (S depth) d))%R as S0 by (apply side_score_nonneg; lia).
  assert (0 < val rate)%R as R0 by (now apply val_positive).
  unfold edge in He. destruct (Z.eqb_spec block 0) as [->|B0].
  { rewrite Rmult_0_l. nra. }
  set (b := block + block mod 2) in *. set (top := b * ln2_upper * snd rate) in *.
  set (bottom := fst rate * 2 ^ ln2_bits) in *. set (lv := - (- top / bottom)) in *.
  assert (block <= b) as Bb by (pose proof (Z.mod_pos_bound block 2); lia).
  assert (0 < bottom) as Hbot by (unfold bottom, ln2_bits; lia).
  assert (0 < top) as Htop by (unfold top, ln2_upper; nia).
  assert (top <= lv * bottom) as Hl.
  { unfold lv. pose proof (Z.mul_div_le (- top) bottom Hbot). nia. }
  assert (1 <= lv) as L1 by nia.
  (* it is enough that the score is at least top / bottom *)
  enough (IZR top / IZR bottom <= val (side_score sloped U (S depth) d))%R as G.
  { apply Rle_trans with (val rate * (IZR top / IZR bottom))%R.
    - unfold top, bottom, val, block_size. rewrite !mult_IZR.
      assert (0 < IZR (fst rate))%R by now apply IZR_lt.
      assert (0 < IZR (snd rate))%R by now apply IZR_lt.
      assert (0 < IZR (2 ^ ln2_bits))%R by (apply IZR_lt; reflexivity).
      replace (IZR (fst rate) / IZR (snd rate) *
        (IZR b * IZR ln2_upper * IZR (snd rate) / (IZR (fst rate) * IZR (2 ^ ln2_bits))))%R
        with (IZR b * (IZR ln2_upper / IZR (2 ^ ln2_bits)))%R by (field; lra).
      apply Rmult_le_compat_r; [left; apply block_size_positive | now apply IZR_le].
    - apply Rmult_le_compat_l; lra. }
  assert (0 < IZR bottom)%R as Rb by now apply IZR_lt.
  assert (IZR top / IZR bottom <= IZR lv)%R as Hlr.
  { apply IZR_le in Hl. rewrite mult_IZR in Hl.
    apply Rmult_le_reg_r with (IZR bottom); [easy|].
    replace (IZR top / IZR bottom * IZR bottom)%R with (IZR top) by (field; lra). lra. }
  destruct (Z.ltb_spec (Z.of_nat depth + 1) lv) as [F|F]; [lia|].
  assert (forall y, U (Z.to_nat lv) < y <= U (S depth) ->
    (IZR lv < val (side_score sloped U (S depth) y))%R) as Beyond.
  { intros y Hy. pose proof (side_score_above sloped U (S depth) y (Z.to_nat lv) M ltac:(lia) ltac:(lia)) as A.
    rewrite INR_IZR_INZ, Z2Nat.id in A by lia. exact A. }
  destruct (sloped && _) eqn:W.
  { specialize (Beyond d ltac:(lia)). lra. }
  destruct sloped; cbn [negb] in He.
  - apply sloped_from; auto; fold lv; lia.
  - pose proof (flat_score_above U (S depth) d (Z.to_nat (lv - 1)) M ltac:(lia) ltac:(lia)) as A.
    replace (S (Z.to_nat (lv - 1))) with (Z.to_nat lv) in A by lia.
    rewrite INR_IZR_INZ, Z2Nat.id in A by lia. lra.
Qed.

(** * The cut *)

Lemma in_zrange a b y : In y (zrange a b) <-> a <= y < b.
Proof.
  unfold zrange. rewrite in_map_iff. split.
  - intros (i & <- & Hi). apply in_seq in Hi. lia.
  - intros Hy. exists (Z.to_nat (y - a)). split; [lia|]. apply in_seq. lia.
Qed.

Lemma nodup_zrange a b : NoDup (zrange a b).
Proof.
  unfold zrange. apply FinFun.Injective_map_NoDup; [|apply seq_NoDup].
  intros i j. lia.
Qed.

Lemma seq_from n m : seq n m = map (Nat.add n) (seq 0 m).
Proof.
  induction n as [|n IH]; [now rewrite map_id|].
  rewrite <- seq_shift, IH, map_map. now apply map_ext.
Qed.

Lemma zrange_split a b c : a <= b <= c -> zrange a c = zrange a b ++ zrange b c.
Proof.
  intros H. unfold zrange. replace (Z.to_nat (c - a)) with (Z.to_nat (b - a) + Z.to_nat (c - b))%nat by lia.
  rewrite seq_app, map_app. f_equal. cbn [Nat.add].
  rewrite (seq_from (Z.to_nat (b - a))), map_map. apply map_ext. intros i. lia.
Qed.

Lemma next_edge_bounds span done e : 1 <= done <= span + 1 -> done <= next_edge span done e <= span + 1.
Proof. intros H. unfold next_edge. destruct (Z.ltb_spec span done); lia. Qed.

(** The ends of a side: they only grow, up to one beyond the span. *)
Fixpoint growing (spans : Z * Z) (right left : Z) (ends : list (Z * Z)) : Prop :=
  match ends with
  | [] => right = fst spans + 1 /\ left = snd spans + 1
  | (r, l) :: rest =>
      right <= r <= fst spans + 1 /\ left <= l <= snd spans + 1 /\ growing spans r l rest
  end.

Lemma cut_growing centre er el sr sl : forall fuel block right left known ends,
  1 <= right <= sr + 1 -> 1 <= left <= sl + 1 ->
  cut centre fuel er el sr sl block right left known = Some ends -> growing (sr, sl) right left ends.
Proof.
  induction fuel as [|fuel IH]; cbn [cut]; intros block right left known ends Hr Hl; [easy|].
  pose proof (next_edge_bounds sr right (er (block + 1)) Hr) as Nr.
  pose proof (next_edge_bounds sl left (el (block + 1)) Hl) as Nl.
  set (r := next_edge sr right _) in *. set (l := next_edge sl left _) in *.
  destruct (Z.eqb_spec (sr + 1 - r + (sl + 1 - l)) 0) as [E|E].
  { intros [= <-]. cbn. lia. }
  destruct (_ <? _).
  { intros [= <-]. cbn. lia. }
  destruct (cut centre fuel er el sr sl (block + 1) r l _) as [rest|] eqn:C; cbn [option_map]; [|easy].
  intros [= <-]. cbn [growing fst snd]. split; [lia|]. split; [lia|].
  apply IH in C; [easy | lia | lia].
Qed.

(** Every point in one block. *)
Lemma offsets_partition first spans : forall ends right left, growing spans right left ends ->
  ends <> [] ->
  Permutation (concat (offsets first right left ends))
    ((if first then [0] else []) ++ zrange right (fst spans + 1)
     ++ map Z.opp (zrange left (snd spans + 1))).
Proof.
  intros ends. revert first. induction ends as [|[r l] rest IH]; intros first right left G Hne; [easy|].
  destruct G as (Gr & Gl & G). cbn [offsets concat]. rewrite <- !app_assoc.
  apply Permutation_app_head.
  destruct rest as [|e rest].
  - cbn in G. destruct G as [-> ->]. cbn. now rewrite app_nil_r.
  - specialize (IH false r l G ltac:(easy)). cbn [app] in IH.
    rewrite (zrange_split right r (fst spans + 1)) by lia.
    rewrite (zrange_split left l (snd spans + 1)), map_app by lia.
    rewrite <- !app_assoc. apply Permutation_app_head.
    etransitivity; [apply Permutation_app_head, IH|].
    rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
Qed.

(** E >= j ln 2 in block j, for edges that keep their word. *)
Section Above.
Variable er el : Z -> Z.
Variable e : Z -> R.
Variable sr sl centre : Z.

Definition from (e : Z -> R) (block edge span : Z) : Prop :=
  forall d, 1 <= d -> edge <= d <= span -> (IZR block * block_size <= e d)%R.

Let mirrored (d : Z) : R := e (- d).

Hypothesis right_edges : forall b, 0 <= b -> from e b (er b) sr.
Hypothesis left_edges : forall b, 0 <= b -> from mirrored b (el b) sl.
Hypothesis centre_nonneg : (0 <= e 0)%R.

Lemma one_block b right left r l (first : bool) y :
  (first = true -> b = 0) -> 1 <= right -> 1 <= left -> r <= sr + 1 -> l <= sl + 1 ->
  from e b right sr -> from mirrored b left sl ->
  In y ((if first then [0] else []) ++ zrange right r ++ map Z.opp (zrange left l)) ->
  (IZR b * block_size <= e y)%R.
Proof.
  intros Hf Hright Hleft Hr Hl A B Hy.
  rewrite !in_app_iff, in_zrange, in_map_iff in Hy. destruct Hy as [Hy|[Hy|(z & <- & Hz)]].
  - destruct first; [|easy]. destruct Hy as [<-|[]]. rewrite Hf by easy. lra.
  - apply A; lia.
  - apply in_zrange in Hz. apply B; lia.
Qed.

Lemma next_from f span done edge b : from f b edge span -> from f b (next_edge span done edge) span.
Proof.
  intros H d Hd L. apply H; [easy|]. unfold next_edge in L.
  destruct (Z.ltb_spec span done); lia.
Qed.

Lemma offsets_above : forall fuel block right left known ends first,
  0 <= block -> 1 <= right <= sr + 1 -> 1 <= left <= sl + 1 -> (first = true -> block = 0) ->
  from e block right sr -> from mirrored block left sl ->
  cut centre fuel er el sr sl block right left known = Some ends ->
  forall j ys y, nth_error (offsets first right left ends) j = Some ys -> In y ys ->
  (IZR (block + Z.of_nat j) * block_size <= e y)%R.
Proof.
  induction fuel as [|fuel IH]; cbn [cut];
    intros block right left known ends first Hb Hr Hl Hf Ar Al; [easy|].
  pose proof (next_edge_bounds sr right (er (block + 1)) Hr) as Nr.
  pose proof (next_edge_bounds sl left (el (block + 1)) Hl) as Nl.
  pose proof (next_from e sr right _ _ (right_edges (block + 1) ltac:(lia))) as Br.
  pose proof (next_from mirrored sl left _ _ (left_edges (block + 1) ltac:(lia))) as Bl.
  set (r := next_edge sr right _) in *. set (l := next_edge sl left _) in *.
  destruct (Z.eqb_spec (sr + 1 - r + (sl + 1 - l)) 0) as [E|E].
  { intros [= <-] j ys y Hj Hy. destruct j as [|j]; cbn in Hj; [|now destruct j].
    injection Hj as <-. rewrite Z.add_0_r. apply (one_block block right left r l first); auto; lia. }
  destruct (_ <? _).
  { intros [= <-] j ys y Hj Hy. destruct j as [|[|j]]; cbn in Hj; [| |now destruct j];
      injection Hj as <-.
    - rewrite Z.add_0_r. apply (one_block block right left r l first); auto; lia.
    - apply (one_block (block + 1) r l (sr + 1) (sl + 1) false); auto; try lia; easy. }
  destruct (cut centre fuel er el sr sl (block + 1) r l _) as [rest|] eqn:C; cbn [option_map]; [|easy].
  intros [= <-] j ys y Hj Hy. destruct j as [|j]; cbn [offsets nth_error] in Hj.
  - injection Hj as <-. rewrite Z.add_0_r. apply (one_block block right left r l first); auto; lia.
  - replace (block + Z.of_nat (S j)) with (block + 1 + Z.of_nat j) by lia.
    apply (IH (block + 1) r l _ rest false ltac:(lia) ltac:(lia) ltac:(lia) ltac:(easy) Br Bl C j ys);
      easy.
Qed.

End Above.

(** * The sampler of the levels' laws *)

Lemma nodup_app {A} (xs ys : list A) :
  NoDup xs -> NoDup ys -> (forall x, In x xs -> ~ In x ys) -> NoDup (xs ++ ys).
Proof.
  intros X Y D. induction X as [|x xs Hx X IH]; cbn; [easy|]. constructor.
  - rewrite in_app_iff. intros [H|H]; [easy|]. apply (D x); [now left | easy].
  - apply IH. intros z Hz. apply D. now right.
Qed.

Lemma total_permutation {A} (f : A -> R) xs ys : Permutation xs ys -> total f xs = total f ys.
Proof. induction 1; cbn; lra. Qed.

Lemma total_one (f : Z -> R) y ys : NoDup ys -> In y ys ->
  total (fun z => f z * (if z =? y then 1 else 0))%R ys = f y.
Proof.
  intros N. induction N as [|x ys Hx N IH]; cbn [total]; intros Hy; [easy|].
  destruct (Z.eqb_spec x y) as [->|E].
  - assert (total (fun z => f z * (if z =? y then 1 else 0))%R ys = 0%R) as T; [|rewrite T; lra].
    clear - Hx. induction ys as [|z ys IH]; cbn [total]; [easy|].
    rewrite IH by (intros F; apply Hx; now right).
    destruct (Z.eqb_spec z y) as [->|]; [destruct Hx; now left | lra].
  - destruct Hy as [Hy|Hy]; [easy|]. rewrite IH by easy. lra.
Qed.

Lemma points_zrange r : points r = zrange (low r) (high r + 1).
Proof. unfold points, zrange. do 3 f_equal. lia. Qed.

Lemma reach_widens r p : valid r p -> forall l, reach r p l <= reach r p (S l).
Proof.
  intros P l. unfold reach. replace (S l) with (l + 1)%nat by lia.
  enough (right_bound r p l <= right_bound r p (l + 1)) by lia.
  apply right_bound_shift; auto. intros k. destruct P.
  replace (k + 1)%nat with (S k) by lia. auto.
Qed.

Lemma reach_last r p : reach r p (S (depth r)) = high r - value p.
Proof. unfold reach. now rewrite right_bound_last. Qed.

Section Levels.
Variable epsilon : ratio.
Hypothesis epsilon_positive : positive epsilon.
Variable sloped : bool.
Variable r : public.
Variable p : profile.
Hypothesis p_valid : valid r p.

(** E at a signed distance from the centre: the code's [LevelLaw.exponent]. *)
Definition exponent_at (d : Z) : R := val (exponent epsilon sloped r p (value p + d)).

Lemma exponent_right d : 0 <= d ->
  exponent_at d = val (times (half epsilon) (side_score sloped (reach r p) (S (depth r)) d)).
Proof.
  intros Hd. unfold exponent_at, exponent, score.
  replace (value p <=? value p + d) with true by (symmetry; apply Z.leb_le; lia).
  unfold right_score, reach. replace d with (value p + d - value p) at 2 by lia.
  now rewrite side_score_origin.
Qed.

Lemma exponent_left d : 1 <= d ->
  exponent_at (- d) = val (times (half epsilon)
    (side_score sloped (reach (mirror_public r) (mirror p)) (S (depth r)) d)).
Proof.
  intros Hd. unfold exponent_at, exponent, score.
  replace (value p <=? value p + - d) with false by (symmetry; apply Z.leb_gt; lia).
  unfold left_score, right_score, reach. cbn [depth mirror_public].
  replace d with (- (value p + - d) - value (mirror p)) at 2 by (cbn; lia).
  now rewrite side_score_origin.
Qed.

Lemma half_positive : positive (half epsilon).
Proof. destruct epsilon_positive. split; cbn [half fst snd]; lia. Qed.

Variable fuel : nat.
Variable bs : list (list Z).
Hypothesis bs_blocks : blocks fuel epsilon sloped r p = Some bs.

Lemma cut_of_blocks : exists ends,
  cut 1 fuel (edge (half epsilon) sloped (reach r p) (depth r))
    (edge (half epsilon) sloped (reach (mirror_public r) (mirror p)) (depth r))
    (high r - value p) (value p - low r) 0 1 1 0 = Some ends /\ bs = offsets true 1 1 ends.
Proof.
  unfold blocks in bs_blocks. cbn [depth mirror_public] in bs_blocks.
  destruct (cut _ _ _ _ _ _ _ _ _ _) as [ends|]; [|easy].
  cbn in bs_blocks. injection bs_blocks as <-. now exists ends.
Qed.

(** Every point of a block j has E >= j ln2_upper / 2^64. *)
Theorem blocks_above j ys d : nth_error bs j = Some ys -> In d ys ->
  (INR j * block_size <= exponent_at d)%R.
Proof.
  destruct cut_of_blocks as (ends & C & ->). intros Hj Hd.
  pose proof (in_range r p p_valid) as Range.
  assert (forall b, 0 <= b ->
    from exponent_at b (edge (half epsilon) sloped (reach r p) (depth r) b) (high r - value p)) as Er.
  { intros b Hb d' H1 H. rewrite exponent_right by lia.
    apply edge_spec; auto using half_positive, reach_widens. now rewrite reach_last. }
  assert (forall b, 0 <= b -> from (fun d => exponent_at (- d)) b
    (edge (half epsilon) sloped (reach (mirror_public r) (mirror p)) (depth r) b)
    (value p - low r)) as El.
  { intros b Hb d' H1 H. rewrite exponent_left by lia.
    apply edge_spec; auto using half_positive, reach_widens, mirror_valid.
    change (depth r) with (depth (mirror_public r)) at 2. rewrite reach_last. cbn. lia. }
  assert (0 <= exponent_at 0)%R as Centre.
  { rewrite exponent_right by lia. rewrite val_times.
    - pose proof (val_positive _ half_positive).
      assert (0 <= val (side_score sloped (reach r p) (S (depth r)) 0))%R; [|nra].
      apply side_score_nonneg. rewrite reach_last. lia.
    - destruct half_positive. lia.
    - apply side_score_denominator. rewrite reach_last. lia. }
  rewrite INR_IZR_INZ. replace (Z.of_nat j) with (0 + Z.of_nat j) by lia.
  refine (offsets_above _ _ exponent_at _ _ 1 Er El Centre fuel 0 1 1 0 ends true
    ltac:(lia) ltac:(lia) ltac:(lia) ltac:(easy) _ _ C j ys d Hj Hd).
  - specialize (Er 0 ltac:(lia)). exact Er.
  - specialize (El 0 ltac:(lia)). exact El.
Qed.

(** Every point of the range lies in one block. *)
Theorem blocks_partition : NoDup (concat bs) /\
  forall d, In d (concat bs) <-> low r <= value p + d <= high r.
Proof.
  destruct cut_of_blocks as (ends & C & ->). pose proof (in_range r p p_valid) as Range.
  assert (growing (high r - value p, value p - low r) 1 1 ends) as G
    by (apply cut_growing in C; [exact C | lia | lia]).
  assert (ends <> []) as Hne.
  { intros ->. clear - C. destruct fuel; cbn [cut] in C; [easy|].
    destruct (_ =? _) in C; [easy|]. destruct (_ <? _) in C; [easy|].
    destruct (cut _ _ _ _ _ _ _ _ _ _) in C; easy. }
  pose proof (offsets_partition true _ ends 1 1 G Hne) as P. cbn [fst snd app] in P.
  split.
  - apply (Permutation_NoDup (Permutation_sym P)). constructor.
    + rewrite in_app_iff, in_zrange, in_map_iff. intros [H|(z & H & Hz)]; [lia|].
      apply in_zrange in Hz. lia.
    + apply nodup_app; [apply nodup_zrange | |].
      * apply FinFun.Injective_map_NoDup; [intros a b; lia | apply nodup_zrange].
      * intros z Hz H. apply in_zrange in Hz. apply in_map_iff in H.
        destruct H as (y & <- & Hy). apply in_zrange in Hy. lia.
  - intros d. transitivity (In d (0 :: zrange 1 (high r - value p + 1)
      ++ map Z.opp (zrange 1 (value p - low r + 1)))).
    + split; apply Permutation_in; [exact P | now apply Permutation_sym].
    + cbn [In]. rewrite in_app_iff, in_zrange, in_map_iff. split.
      * intros [H|[H|(z & <- & Hz)]]; [lia | lia |]. apply in_zrange in Hz. lia.
      * intros H. destruct (Z.lt_total d 0) as [L|[L|L]]; [right; right | left | right; left]; try lia.
        exists (- d). split; [lia|]. apply in_zrange. lia.
Qed.

(** Theorem (e) for the code's laws: what [draw_offset] returns, summed over all its trials, has the
    law of the mechanism. *)
Theorem sampler_is_levels_law y : In y (points r) ->
  infinite_sum (ends_at bs exponent_at (fun d => if d =? y - value p then 1 else 0)%R)
    (levels_law epsilon sloped r p y).
Proof.
  intros Hy. destruct blocks_partition as [N P]. apply in_points in Hy.
  assert (In (y - value p) (concat bs)) as Hin by (apply P; lia).
  replace (levels_law epsilon sloped r p y) with
    (total (fun d => exp (- exponent_at d) * (if d =? y - value p then 1 else 0))%R (concat bs)
     / total (fun d => exp (- exponent_at d))%R (concat bs))%R.
  - apply sampler_law.
    + intros b block d. apply blocks_above.
    + intros E. now rewrite E in Hin.
  - rewrite (total_one (fun d => exp (- exponent_at d))) by easy.
    unfold levels_law, prob, weight. rewrite Rmult_1_l. unfold exponent_at.
    replace (value p + (y - value p)) with y by lia. f_equal.
    rewrite (total_ext (fun y => 1 * exp (- val (exponent epsilon sloped r p y)))%R
      (fun y => exp (- val (exponent epsilon sloped r p y)))%R) by (intros; lra).
    rewrite <- (total_map (fun y => exp (- val (exponent epsilon sloped r p y)))%R
      (fun d => value p + d) (concat bs)).
    apply total_permutation, NoDup_Permutation.
    + apply FinFun.Injective_map_NoDup; [intros a b; lia | easy].
    + rewrite points_zrange. apply nodup_zrange.
    + intros z. rewrite in_points, in_map_iff. split.
      * intros (d & <- & Hd). now apply P.
      * intros Hz. exists (z - value p). split; [lia|]. apply P. lia.
Qed.

End Levels.
