(** The profiles of the median and of every quantile obey the neighbour law.

    Model of [summaries/ranks.py] ([rank_of], [RankSummary.rank], [.at_rank]) and of
    [profiles/order.py] ([order_profile]): records are integers of the input lattice between
    public limits, tables are lists up to their order, the empty one too. *)

From Coq Require Import ZArith List Permutation Lia Bool Reals Lra.
From LeastNoise Require Import Law Score.
Import ListNotations.
Open Scope Z_scope.

(** * The model *)

Definition size (xs : list Z) : Z := Z.of_nat (length xs).

(** max(1, ceil(q n)), q = numerator / denominator. *)
Definition rank_of (q : ratio) (n : Z) : Z := Z.max 1 (- (- fst q * n / snd q)).

Fixpoint insert (x : Z) (xs : list Z) : list Z :=
  match xs with
  | [] => [x]
  | y :: rest => if x <=? y then x :: xs else y :: insert x rest
  end.

Fixpoint sorted (xs : list Z) : list Z :=
  match xs with [] => [] | x :: rest => insert x (sorted rest) end.

(** The public limits of the input lattice. *)
Record limits := Limits { least : Z; most : Z }.

Definition middle (m : limits) : Z := (least m + most m) / 2.

(** The record of an absolute rank; a limit before the first and beyond the last. *)
Definition at_rank (m : limits) (xs : list Z) (rank : Z) : Z :=
  if rank <? 1 then least m
  else if size xs <? rank then most m
  else nth (Z.to_nat (rank - 1)) (sorted xs) (most m).

(** The record [offset] ranks above that of order q. *)
Definition rank (m : limits) (q : ratio) (xs : list Z) (offset : Z) : Z :=
  if (size xs =? 0) && (offset =? 0) then middle m
  else at_rank m xs (rank_of q (size xs) + offset).

(** Replace-one and edit. *)
Definition edit_profile (m : limits) (q : ratio) (xs : list Z) : profile :=
  Profile (rank m q xs 0)
    (fun l => rank m q xs (Z.of_nat l)) (fun l => rank m q xs (- Z.of_nat l)).

Definition upper_add_remove (m : limits) (q : ratio) (xs : list Z) (l : Z) : Z :=
  let n := size xs in
  if l =? 0 then rank m q xs 0
  else if n <? l then most m
  else if l =? n then Z.max (at_rank m xs (Z.max (rank_of q (2 * n)) n)) (middle m)
  else at_rank m xs (Z.max (rank_of q (n + l)) (rank_of q (n - l) + l)).

Definition lower_add_remove (m : limits) (q : ratio) (xs : list Z) (l : Z) : Z :=
  let n := size xs in
  if l =? 0 then rank m q xs 0
  else if n <? l then least m
  else if l =? n then Z.min (at_rank m xs (Z.min 1 (rank_of q (2 * n) - n))) (middle m)
  else at_rank m xs (Z.min (rank_of q (n - l)) (rank_of q (n + l) - l)).

Definition add_remove_profile (m : limits) (q : ratio) (xs : list Z) : profile :=
  Profile (rank m q xs 0)
    (fun l => upper_add_remove m q xs (Z.of_nat l))
    (fun l => lower_add_remove m q xs (Z.of_nat l)).

(** * Neighbours *)

Definition replace_one {A} (xs ys : list A) : Prop :=
  exists u v rest, Permutation xs (u :: rest) /\ Permutation ys (v :: rest).

Definition add_one {A} (xs ys : list A) : Prop := exists u, Permutation ys (u :: xs).

Definition add_remove {A} (xs ys : list A) : Prop := add_one xs ys \/ add_one ys xs.

Definition edit {A} (xs ys : list A) : Prop := replace_one xs ys \/ add_remove xs ys.

Definition within_limits (m : limits) (xs : list Z) : Prop :=
  forall x, In x xs -> least m <= x <= most m.

(** An order between 0 and 1. *)
Definition order (q : ratio) : Prop := 0 <= fst q <= snd q /\ 0 < snd q.

(** * Counting: a rank is below t when enough records are *)

Fixpoint count (t : Z) (xs : list Z) : Z :=
  match xs with [] => 0 | x :: rest => (if x <=? t then 1 else 0) + count t rest end.

Lemma count_bounds t xs : 0 <= count t xs <= size xs.
Proof.
  unfold size. induction xs as [|x xs IH]; [cbn; lia|].
  cbn [count length]. destruct (x <=? t); lia.
Qed.

Lemma count_permutation t xs ys : Permutation xs ys -> count t xs = count t ys.
Proof. induction 1; cbn; try destruct (_ <=? _); lia. Qed.

Lemma size_permutation xs ys : Permutation xs ys -> size xs = size ys.
Proof. intros H. unfold size. now rewrite (Permutation_length H). Qed.

Lemma insert_permutation x xs : Permutation (x :: xs) (insert x xs).
Proof.
  induction xs as [|y xs IH]; cbn; [easy|]. destruct (x <=? y); [easy|].
  etransitivity; [apply perm_swap|]. now constructor.
Qed.

Lemma sorted_permutation xs : Permutation xs (sorted xs).
Proof.
  induction xs as [|x xs IH]; cbn; [easy|].
  etransitivity; [|apply insert_permutation]. now constructor.
Qed.

Inductive ascending : list Z -> Prop :=
| ascending_nil : ascending []
| ascending_cons x xs : (forall y, In y xs -> x <= y) -> ascending xs -> ascending (x :: xs).

Lemma insert_ascending x xs : ascending xs -> ascending (insert x xs).
Proof.
  induction 1 as [|y xs H S IH]; cbn; [repeat constructor; easy|].
  destruct (Z.leb_spec x y).
  - constructor; [|now constructor]. intros z [<-|Hz]; [easy|]. specialize (H z Hz). lia.
  - constructor; [|easy]. intros z Hz.
    apply (Permutation_in z (Permutation_sym (insert_permutation x xs))) in Hz.
    destruct Hz as [<-|Hz]; [lia | auto].
Qed.

Lemma sorted_ascending xs : ascending (sorted xs).
Proof. induction xs; cbn; [constructor | now apply insert_ascending]. Qed.

Lemma count_zero t xs : (forall y, In y xs -> t < y) -> count t xs = 0.
Proof.
  induction xs as [|x xs IH]; intros H; cbn; [easy|].
  rewrite IH by (intros; apply H; now right).
  specialize (H x ltac:(now left)). destruct (Z.leb_spec x t); lia.
Qed.

Lemma nth_ascending t d : forall xs i, ascending xs -> (i < length xs)%nat ->
  nth i xs d <= t <-> Z.of_nat i < count t xs.
Proof.
  intros xs i S. revert i. induction S as [|x xs H S IH]; intros i Hi; cbn in Hi; [lia|].
  cbn [count]. destruct i as [|i]; cbn [nth].
  - pose proof (count_bounds t xs). destruct (Z.leb_spec x t); [lia|].
    rewrite count_zero; [lia|]. intros y Hy. specialize (H y Hy). lia.
  - specialize (IH i ltac:(lia)). rewrite IH. destruct (Z.leb_spec x t); [lia|].
    rewrite count_zero; [lia|]. intros y Hy. specialize (H y Hy). lia.
Qed.

Section Tables.
Variable m : limits.
Hypothesis limits_ordered : least m <= most m.

Lemma at_rank_inside xs i : within_limits m xs -> least m <= at_rank m xs i <= most m.
Proof.
  intros W. unfold at_rank. destruct (Z.ltb_spec i 1); [lia|].
  destruct (Z.ltb_spec (size xs) i); [lia|]. apply W.
  apply (Permutation_in _ (Permutation_sym (sorted_permutation xs))), nth_In.
  rewrite <- (Permutation_length (sorted_permutation xs)). unfold size in *. lia.
Qed.

Lemma at_rank_le xs i t : least m <= t < most m ->
  at_rank m xs i <= t <-> i <= count t xs.
Proof.
  intros Ht. pose proof (count_bounds t xs) as C. unfold at_rank.
  destruct (Z.ltb_spec i 1); [lia|]. destruct (Z.ltb_spec (size xs) i); [lia|].
  rewrite (nth_ascending t).
  - rewrite <- (count_permutation t _ _ (sorted_permutation xs)). lia.
  - apply sorted_ascending.
  - rewrite <- (Permutation_length (sorted_permutation xs)). unfold size in *. lia.
Qed.

(** Two ranks of two tables compare as the counts do at every point. *)
Lemma at_rank_compare xs ys i j : within_limits m xs -> within_limits m ys ->
  (forall t, j <= count t ys -> i <= count t xs) -> at_rank m xs i <= at_rank m ys j.
Proof.
  intros X Y H. pose proof (at_rank_inside xs i X). pose proof (at_rank_inside ys j Y).
  destruct (Z.eq_dec (at_rank m ys j) (most m)) as [E|E]; [lia|].
  apply at_rank_le; [lia|]. apply H. apply at_rank_le; lia.
Qed.

Lemma middle_inside : least m <= middle m <= most m.
Proof.
  unfold middle. split.
  - apply Z.div_le_lower_bound; lia.
  - apply Z.div_le_upper_bound; lia.
Qed.

Lemma at_rank_low xs i : i < 1 -> at_rank m xs i = least m.
Proof. intros. unfold at_rank. destruct (Z.ltb_spec i 1); [easy|lia]. Qed.

Lemma at_rank_high xs i : size xs < i -> at_rank m xs i = most m.
Proof.
  intros. unfold at_rank. assert (0 <= size xs) by (unfold size; lia).
  destruct (Z.ltb_spec i 1); [lia|]. destruct (Z.ltb_spec (size xs) i); [easy|lia].
Qed.

(** What one record does to the counts. *)
Lemma add_one_counts xs ys : add_one xs ys ->
  size ys = size xs + 1 /\ (forall t, count t xs <= count t ys <= count t xs + 1).
Proof.
  intros (u & P). split.
  - rewrite (size_permutation _ _ P). unfold size. cbn [length]. lia.
  - intros t. rewrite (count_permutation t _ _ P). cbn. destruct (u <=? t); lia.
Qed.

Lemma replace_one_counts xs ys : replace_one xs ys ->
  size ys = size xs /\ 0 < size xs /\
  (forall t, count t xs - 1 <= count t ys <= count t xs + 1).
Proof.
  intros (u & v & rest & P & Q).
  rewrite (size_permutation _ _ P), (size_permutation _ _ Q).
  split; [easy|]. split.
  - unfold size. cbn [length]. lia.
  - intros t. rewrite (count_permutation t _ _ P), (count_permutation t _ _ Q).
    cbn. destruct (u <=? t), (v <=? t); lia.
Qed.

(** * The rank as a function of the number of records *)

Section Orders.
Variable q : ratio.
Hypothesis q_order : order q.

Lemma rank_of_step n : rank_of q n <= rank_of q (n + 1) <= rank_of q n + 1.
Proof.
  destruct q_order as [[A B] C]. unfold rank_of.
  assert (- fst q * n / snd q - 1 <= - fst q * (n + 1) / snd q <= - fst q * n / snd q); [|lia].
  split.
  - replace (- fst q * n / snd q - 1) with ((- fst q * n + -1 * snd q) / snd q)
      by (rewrite Z.div_add; lia). apply Z.div_le_mono; lia.
  - apply Z.div_le_mono; lia.
Qed.

Lemma rank_of_monotone n d : 0 <= d -> rank_of q n <= rank_of q (n + d) <= rank_of q n + d.
Proof.
  intros Hd. pattern d. apply natlike_ind; [rewrite Z.add_0_r; lia| |easy].
  intros e He IH. pose proof (rank_of_step (n + e)).
  replace (n + Z.succ e) with (n + e + 1) by lia. lia.
Qed.

Lemma rank_of_empty : rank_of q 0 = 1.
Proof. unfold rank_of. rewrite Z.mul_0_r, Z.div_0_l; [easy | destruct q_order; lia]. Qed.

Lemma rank_of_at_least n : 1 <= rank_of q n.
Proof. unfold rank_of. lia. Qed.

Lemma rank_of_at_most n : 1 <= n -> rank_of q n <= n.
Proof.
  intros Hn. pose proof (rank_of_monotone 1 (n - 1) ltac:(lia)).
  replace (1 + (n - 1)) with n in * by lia.
  assert (rank_of q 1 = 1); [|lia].
  pose proof (rank_of_at_least 1). destruct q_order as [[A B] C].
  unfold rank_of in *. assert (- 1 <= - fst q * 1 / snd q); [|lia].
  apply Z.div_le_lower_bound; lia.
Qed.

(** r deletions and s = l - r insertions: the largest upper rank is at r = 0 or r = l, because
    ceil(q (N - 2 r)) + r = ceil(q N + (1 - 2 q) r) moves one way in r. *)
Lemma ends_upper n r l : 0 <= r <= l ->
  rank_of q (n - 2 * r) + r <= Z.max (rank_of q n) (rank_of q (n - 2 * l) + l).
Proof.
  intros H. destruct q_order as [[A B] C]. unfold rank_of.
  assert (forall k, - (- fst q * (n - 2 * k) / snd q) + k =
    - ((- fst q * n - (snd q - 2 * fst q) * k) / snd q)) as E.
  { intros k. replace (- fst q * (n - 2 * k)) with
      ((- fst q * n - (snd q - 2 * fst q) * k) + k * snd q) by ring.
    rewrite Z.div_add by lia. lia. }
  pose proof (E r) as Er. pose proof (E l) as El. pose proof (E 0) as E0.
  rewrite Z.mul_0_r, Z.sub_0_r, Z.add_0_r in E0.
  destruct (Z.le_gt_cases (2 * fst q) (snd q)) as [G|G].
  - assert ((- fst q * n - (snd q - 2 * fst q) * l) / snd q
      <= (- fst q * n - (snd q - 2 * fst q) * r) / snd q)
      by (apply Z.div_le_mono; nia). lia.
  - assert ((- fst q * n - (snd q - 2 * fst q) * 0) / snd q
      <= (- fst q * n - (snd q - 2 * fst q) * r) / snd q)
      by (apply Z.div_le_mono; nia). rewrite Z.mul_0_r, Z.sub_0_r in *. lia.
Qed.

(** The mirror: the smallest lower rank, r deletions below. *)
Lemma ends_lower n r l : 0 <= r <= l -> 1 <= n - 2 * l ->
  Z.min (rank_of q (n - 2 * l)) (rank_of q n - l) <= rank_of q (n - 2 * r) - (l - r).
Proof.
  intros H Hn. destruct q_order as [[A B] C]. unfold rank_of.
  assert (forall k, - (- fst q * (n - 2 * k) / snd q) + k =
    - ((- fst q * n - (snd q - 2 * fst q) * k) / snd q)) as E.
  { intros k. replace (- fst q * (n - 2 * k)) with
      ((- fst q * n - (snd q - 2 * fst q) * k) + k * snd q) by ring.
    rewrite Z.div_add by lia. lia. }
  pose proof (E r) as Er. pose proof (E l) as El. pose proof (E 0) as E0.
  rewrite Z.mul_0_r, Z.sub_0_r, Z.add_0_r in E0.
  destruct (Z.le_gt_cases (2 * fst q) (snd q)) as [G|G].
  - assert ((- fst q * n - (snd q - 2 * fst q) * r) / snd q
      <= (- fst q * n - (snd q - 2 * fst q) * 0) / snd q)
      by (apply Z.div_le_mono; nia). rewrite Z.mul_0_r, Z.sub_0_r in *. lia.
  - assert ((- fst q * n - (snd q - 2 * fst q) * r) / snd q
      <= (- fst q * n - (snd q - 2 * fst q) * l) / snd q)
      by (apply Z.div_le_mono; nia).
    assert (- fst q * (n - 2 * l) / snd q < 0) by (apply Z.div_lt_upper_bound; nia). lia.
Qed.

Lemma size_nonneg xs : 0 <= size xs.
Proof. unfold size. lia. Qed.

(** Where n deletions and n insertions can meet: an order up to one half, or above it. *)
Lemma rank_of_twice :
  (rank_of q 2 = 1 /\ forall n, 1 <= n -> rank_of q (2 * n) <= n) \/
  (forall n, 1 <= n -> n + 1 <= rank_of q (2 * n)).
Proof.
  destruct q_order as [[A B] C]. unfold rank_of.
  destruct (Z.le_gt_cases (2 * fst q) (snd q)) as [G|G]; [left | right].
  - split.
    + assert (- 1 <= - fst q * 2 / snd q); [|lia]. apply Z.div_le_lower_bound; lia.
    + intros n Hn. assert (- n <= - fst q * (2 * n) / snd q); [|lia].
      apply Z.div_le_lower_bound; nia.
  - intros n Hn. assert (- fst q * (2 * n) / snd q < - n); [|lia].
    apply Z.div_lt_upper_bound; nia.
Qed.

(** * The neighbour law *)

Lemma rank_inside xs offset : within_limits m xs -> least m <= rank m q xs offset <= most m.
Proof.
  intros W. unfold rank. destruct (_ && _); [apply middle_inside | now apply at_rank_inside].
Qed.

(** [x_(k + l)] and [x_(k - l)] obey it under replace-one and edit, n = 0 included. *)
Theorem edit_neighbour_law xs ys : within_limits m xs -> within_limits m ys -> edit xs ys ->
  apart 1 (edit_profile m q xs) (edit_profile m q ys).
Proof.
  intros X Y E l. cbn [upper lower edit_profile]. unfold rank at 2 3.
  replace (Z.of_nat (l + 1)) with (Z.of_nat l + 1) by lia.
  replace (Z.of_nat l + 1 =? 0) with false by (symmetry; apply Z.eqb_neq; lia).
  replace (- (Z.of_nat l + 1) =? 0) with false by (symmetry; apply Z.eqb_neq; lia).
  rewrite !andb_false_r. pose proof (size_nonneg xs). pose proof (size_nonneg ys).
  unfold rank. destruct (Z.eqb_spec (size ys) 0) as [N|N]; cbn [andb].
  - (* the empty table *)
    assert (size xs = 1) as N1.
    { destruct E as [E|[E|E]].
      - apply replace_one_counts in E. lia.
      - apply add_one_counts in E. lia.
      - apply add_one_counts in E. lia. }
    pose proof (rank_of_at_least 1). pose proof (rank_of_at_most 1 ltac:(lia)).
    pose proof middle_inside.
    pose proof (at_rank_inside ys (rank_of q (size ys) + Z.of_nat l) Y).
    pose proof (at_rank_inside ys (rank_of q (size ys) + - Z.of_nat l) Y).
    rewrite (at_rank_high xs), (at_rank_low xs) by (rewrite ?N1; lia).
    destruct (_ =? 0), (_ =? 0); lia.
  - split; apply at_rank_compare; auto; intros t Ht;
      destruct E as [E|[E|E]];
      (apply replace_one_counts in E || apply add_one_counts in E);
      destruct E as [N1 C]; try destruct C as [_ C]; specialize (C t);
      rewrite ?N1 in *;
      pose proof (rank_of_step (size xs)); pose proof (rank_of_step (size ys)); lia.
Qed.

(** The exact bounds obey it under add-remove, n = 0 included. *)
Theorem add_remove_neighbour_law xs ys :
  within_limits m xs -> within_limits m ys -> add_remove xs ys ->
  apart 1 (add_remove_profile m q xs) (add_remove_profile m q ys).
Proof.
  intros X Y E l. cbn [upper lower add_remove_profile].
  replace (Z.of_nat (l + 1)) with (Z.of_nat l + 1) by lia.
  generalize (Nat2Z.is_nonneg l). generalize (Z.of_nat l) as k. clear l. intros k Hk.
  pose proof (size_nonneg xs) as Nx. pose proof (size_nonneg ys) as Ny.
  pose proof middle_inside as Hm. pose proof rank_of_empty as K0.
  (* the value is the general formula at level 0 of a table that is not empty *)
  assert (forall zs, size zs <> 0 ->
    rank m q zs 0 = at_rank m zs (Z.max (rank_of q (size zs + 0)) (rank_of q (size zs - 0) + 0))
    /\ rank m q zs 0 = at_rank m zs (Z.min (rank_of q (size zs - 0)) (rank_of q (size zs + 0) - 0)))
    as V.
  { intros zs Hz. unfold rank. replace (size zs =? 0) with false by (symmetry; now apply Z.eqb_neq).
    cbn [andb]. rewrite !Z.add_0_r, !Z.sub_0_r, Z.max_id, Z.min_id. easy. }
  unfold upper_add_remove, lower_add_remove.
  replace (k + 1 =? 0) with false by (symmetry; apply Z.eqb_neq; lia).
  destruct (Z.ltb_spec (size xs) (k + 1)) as [A|A].
  { (* beyond the last record: the limits *)
    pose proof (rank_inside ys 0 Y).
    pose proof (at_rank_inside ys (Z.max (rank_of q (2 * size ys)) (size ys)) Y).
    pose proof (at_rank_inside ys (Z.min 1 (rank_of q (2 * size ys) - size ys)) Y).
    pose proof (at_rank_inside ys (Z.max (rank_of q (size ys + k)) (rank_of q (size ys - k) + k)) Y).
    pose proof (at_rank_inside ys (Z.min (rank_of q (size ys - k)) (rank_of q (size ys + k) - k)) Y).
    destruct (k =? 0), (size ys <? k), (k =? size ys); lia. }
  assert (size ys = size xs + 1 /\ (forall t, count t xs <= count t ys <= count t xs + 1) \/
          size xs = size ys + 1 /\ (forall t, count t ys <= count t xs <= count t ys + 1)) as C.
  { destruct E as [E|E]; apply add_one_counts in E; auto. }
  destruct (Z.eqb_spec (k + 1) (size xs)) as [B|B].
  - (* the level at which the table can be emptied *)
    pose proof rank_of_twice as T. destruct C as [[N C]|[N C]].
    + (* one record more in ys *)
      assert (at_rank m ys (Z.max (rank_of q (size ys + k)) (rank_of q (size ys - k) + k))
        <= at_rank m xs (Z.max (rank_of q (2 * size xs)) (size xs)) /\
        at_rank m xs (Z.min 1 (rank_of q (2 * size xs) - size xs))
        <= at_rank m ys (Z.min (rank_of q (size ys - k)) (rank_of q (size ys + k) - k))) as G.
      { replace (size ys + k) with (2 * size xs) by lia. replace (size ys - k) with 2 by lia.
        pose proof (rank_of_at_most 2 ltac:(lia)).
        split; apply at_rank_compare; auto; intros t Ht; specialize (C t);
          pose proof (count_bounds t xs);
          destruct T as [[T1 T]|T]; pose proof (T 1 ltac:(lia)) as T2; cbn [Z.mul Pos.mul] in T2;
          specialize (T (size xs) ltac:(lia)); lia. }
      replace (size ys <? k) with false by (symmetry; apply Z.ltb_ge; lia).
      replace (k =? size ys) with false by (symmetry; apply Z.eqb_neq; lia).
      destruct (Z.eqb_spec k 0) as [->|K]; [|lia].
      destruct (V ys ltac:(lia)) as [V1 V2]. split; [rewrite V1 | rewrite V2]; lia.
    + (* one record less *)
      destruct (Z.eqb_spec k 0) as [->|K].
      * unfold rank. replace (size ys =? 0) with true by (symmetry; apply Z.eqb_eq; lia).
        cbn [andb Z.eqb]. lia.
      * replace (size ys <? k) with false by (symmetry; apply Z.ltb_ge; lia).
        replace (k =? size ys) with true by (symmetry; apply Z.eqb_eq; lia).
        assert (at_rank m ys (Z.max (rank_of q (2 * size ys)) (size ys))
          <= at_rank m xs (Z.max (rank_of q (2 * size xs)) (size xs)) /\
          at_rank m xs (Z.min 1 (rank_of q (2 * size xs) - size xs))
          <= at_rank m ys (Z.min 1 (rank_of q (2 * size ys) - size ys))); [|lia].
        split; apply at_rank_compare; auto; intros t Ht; specialize (C t);
          pose proof (count_bounds t xs); pose proof (count_bounds t ys);
          destruct T as [[T1 T]|T];
          pose proof (T (size xs) ltac:(lia)); pose proof (T (size ys) ltac:(lia)); lia.
  - assert (at_rank m ys (Z.max (rank_of q (size ys + k)) (rank_of q (size ys - k) + k))
      <= at_rank m xs (Z.max (rank_of q (size xs + (k + 1))) (rank_of q (size xs - (k + 1)) + (k + 1)))
      /\ at_rank m xs (Z.min (rank_of q (size xs - (k + 1))) (rank_of q (size xs + (k + 1)) - (k + 1)))
      <= at_rank m ys (Z.min (rank_of q (size ys - k)) (rank_of q (size ys + k) - k))) as G.
    { set (n := size xs) in *.
      pose proof (ends_upper (n + (k + 1)) k (k + 1) ltac:(lia)) as U1.
      pose proof (ends_upper (n + (k + 1)) 1 (k + 1) ltac:(lia)) as U2.
      pose proof (ends_lower (n + (k + 1)) k (k + 1) ltac:(lia) ltac:(lia)) as L1.
      pose proof (ends_lower (n + (k + 1)) 1 (k + 1) ltac:(lia) ltac:(lia)) as L2.
      replace (n + (k + 1) - 2 * k) with (n + 1 - k) in * by lia.
      replace (n + (k + 1) - 2 * (k + 1)) with (n - (k + 1)) in * by lia.
      replace (n + (k + 1) - 2 * 1) with (n - 1 + k) in * by lia.
      destruct C as [[N C]|[N C]].
      - replace (size ys) with (n + 1) by lia. replace (n + 1 + k) with (n + (k + 1)) by lia.
        split; apply at_rank_compare; auto; intros t Ht; specialize (C t); lia.
      - replace (size ys) with (n - 1) by lia. replace (n - 1 - k) with (n - (k + 1)) by lia.
        split; apply at_rank_compare; auto; intros t Ht; specialize (C t); lia. }
    replace (size ys <? k) with false by (symmetry; apply Z.ltb_ge; lia).
    replace (k =? size ys) with false by (symmetry; apply Z.eqb_neq; lia).
    destruct (Z.eqb_spec k 0) as [->|K]; [|lia].
    destruct (V ys ltac:(lia)) as [V1 V2]. split; [rewrite V1 | rewrite V2]; lia.
Qed.

(** * The bounds start at the value and only widen *)

Variable d : nat.
Variable w : Z.
Hypothesis w_public : 0 <= w.

(** What is public: the limits, the depth and rho. *)
Let r := Public (least m) (most m) d w.

Theorem edit_profile_valid xs : within_limits m xs -> valid r (edit_profile m q xs).
Proof.
  intros X. pose proof (size_nonneg xs). pose proof middle_inside.
  assert (forall i, rank m q xs i <= rank m q xs (i + 1)) as M.
  { intros i. unfold rank. destruct (Z.eqb_spec (size xs) 0) as [N|N]; cbn [andb].
    - assert (rank_of q (size xs) = 1) as K by (rewrite N; apply rank_of_empty). rewrite K.
      destruct (Z.eqb_spec i 0), (Z.eqb_spec (i + 1) 0); try lia.
      + rewrite at_rank_high; lia.
      + rewrite at_rank_low; lia.
      + apply at_rank_compare; auto. lia.
    - apply at_rank_compare; auto. lia. }
  constructor; cbn [value upper lower edit_profile r low high wider]; auto using rank_inside.
  - intros l. specialize (M (Z.of_nat l)). replace (Z.of_nat (S l)) with (Z.of_nat l + 1) by lia. easy.
  - intros l. specialize (M (- Z.of_nat (S l))).
    replace (- Z.of_nat (S l) + 1) with (- Z.of_nat l) in M by lia. easy.
Qed.

Theorem add_remove_profile_valid xs : within_limits m xs -> valid r (add_remove_profile m q xs).
Proof.
  intros X. pose proof (size_nonneg xs) as N. pose proof middle_inside as Hm.
  pose proof rank_of_empty as K0. pose proof (rank_inside xs 0 X) as Hv.
  assert (forall k, 0 <= k ->
    upper_add_remove m q xs k <= upper_add_remove m q xs (k + 1) /\
    lower_add_remove m q xs (k + 1) <= lower_add_remove m q xs k) as M.
  { intros k Hk. unfold upper_add_remove, lower_add_remove.
    pose proof (at_rank_inside xs (Z.max (rank_of q (2 * size xs)) (size xs)) X).
    pose proof (at_rank_inside xs (Z.min 1 (rank_of q (2 * size xs) - size xs)) X).
    pose proof (at_rank_inside xs (Z.max (rank_of q (size xs + k)) (rank_of q (size xs - k) + k)) X).
    pose proof (at_rank_inside xs (Z.min (rank_of q (size xs - k)) (rank_of q (size xs + k) - k)) X).
    replace (k + 1 =? 0) with false by (symmetry; apply Z.eqb_neq; lia).
    destruct (Z.ltb_spec (size xs) (k + 1)); [destruct (k =? 0), (size xs <? k), (k =? size xs); lia|].
    replace (size xs <? k) with false by (symmetry; apply Z.ltb_ge; lia).
    replace (k =? size xs) with false by (symmetry; apply Z.eqb_neq; lia).
    set (g := at_rank m xs (Z.max (rank_of q (size xs + k)) (rank_of q (size xs - k) + k))) in *.
    set (h := at_rank m xs (Z.min (rank_of q (size xs - k)) (rank_of q (size xs + k) - k))) in *.
    assert ((if k =? 0 then rank m q xs 0 else g) = g /\
            (if k =? 0 then rank m q xs 0 else h) = h) as [E1 E2].
    { destruct (Z.eqb_spec k 0) as [->|]; [|easy]. subst g h. unfold rank.
      replace (size xs =? 0) with false by (symmetry; apply Z.eqb_neq; lia).
      cbn [andb]. rewrite !Z.add_0_r, !Z.sub_0_r, Z.max_id, Z.min_id. easy. }
    rewrite E1, E2.
    pose proof (rank_of_step (size xs + k)). pose proof (rank_of_step (size xs - (k + 1))) as S2.
    replace (size xs - (k + 1) + 1) with (size xs - k) in S2 by lia.
    replace (size xs + k + 1) with (size xs + (k + 1)) in * by lia.
    destruct (Z.eqb_spec (k + 1) (size xs)) as [E|E].
    - assert (g <= at_rank m xs (Z.max (rank_of q (2 * size xs)) (size xs)) /\
        at_rank m xs (Z.min 1 (rank_of q (2 * size xs) - size xs)) <= h); [|lia].
      assert (rank_of q (size xs - k) = 1) as K1.
      { replace (size xs - k) with 1 by lia.
        pose proof (rank_of_at_least 1). pose proof (rank_of_at_most 1). lia. }
      replace (2 * size xs) with (size xs + (k + 1)) by lia.
      subst g h. split; apply at_rank_compare; auto; lia.
    - subst g h. split; apply at_rank_compare; auto; lia. }
  constructor; cbn [value upper lower add_remove_profile r low high wider]; auto.
  - intros l. destruct (M (Z.of_nat l) ltac:(lia)) as [A _].
    replace (Z.of_nat (S l)) with (Z.of_nat l + 1) by lia. easy.
  - intros l. destruct (M (Z.of_nat l) ltac:(lia)) as [_ A].
    replace (Z.of_nat (S l)) with (Z.of_nat l + 1) by lia. easy.
Qed.

(** * Monotone: all bounds move in one direction under replace-one and edit *)

Theorem edit_one_way xs ys : within_limits m xs -> within_limits m ys -> edit xs ys ->
  one_way (edit_profile m q xs) (edit_profile m q ys).
Proof.
  assert (forall xs ys, within_limits m xs -> within_limits m ys ->
    size xs <> 0 -> size ys <> 0 ->
    (forall t i, rank_of q (size ys) + i <= count t ys -> rank_of q (size xs) + i <= count t xs) ->
    below_all (edit_profile m q xs) (edit_profile m q ys)) as G.
  { intros us vs U V N1 N2 H l. cbn [upper lower edit_profile]. unfold rank.
    replace (size us =? 0) with false by (symmetry; now apply Z.eqb_neq).
    replace (size vs =? 0) with false by (symmetry; now apply Z.eqb_neq).
    cbn [andb]. split; apply at_rank_compare; auto. }
  assert (forall xs ys, within_limits m xs -> within_limits m ys -> add_one xs ys ->
    one_way (edit_profile m q xs) (edit_profile m q ys)) as A.
  { intros us vs U V E. destruct (add_one_counts us vs E) as [N C].
    pose proof (size_nonneg us). pose proof (rank_of_step (size us)) as Step.
    rewrite <- N in Step. destruct (Z.eq_dec (size us) 0) as [Z0|Z0].
    - (* the first record: only the value moves *)
      assert (forall l, l <> O ->
        upper (edit_profile m q us) l = most m /\ lower (edit_profile m q us) l = least m /\
        upper (edit_profile m q vs) l = most m /\ lower (edit_profile m q vs) l = least m) as L.
      { intros l Hl. cbn [upper lower edit_profile]. unfold rank.
        replace (Z.of_nat l =? 0) with false by (symmetry; apply Z.eqb_neq; lia).
        replace (- Z.of_nat l =? 0) with false by (symmetry; apply Z.eqb_neq; lia).
        rewrite !andb_false_r.
        pose proof (rank_of_at_least 0). pose proof (rank_of_at_least 1).
        pose proof (rank_of_at_most 1 ltac:(lia)). pose proof rank_of_empty.
        rewrite N, Z0 in *. cbn [Z.add] in *.
        repeat split; first [apply at_rank_high | apply at_rank_low]; lia. }
      assert (forall a b, upper (edit_profile m q a) 0 = rank m q a 0 /\
        lower (edit_profile m q b) 0 = rank m q b 0) as L0 by easy.
      destruct (Z.le_gt_cases (rank m q us 0) (rank m q vs 0)); [left | right];
        intros [|l]; try (destruct (L0 us us), (L0 vs vs); lia);
        destruct (L (S l) ltac:(lia)) as (? & ? & ? & ?); lia.
    - destruct (Z.eq_dec (rank_of q (size vs)) (rank_of q (size us))) as [K|K].
      + right. apply G; auto; try lia. intros t i Hi. specialize (C t). lia.
      + left. apply G; auto; try lia. intros t i Hi. specialize (C t). lia. }
  intros X Y [E|[E|E]].
  - destruct (replace_one_counts xs ys E) as (N & N0 & _).
    destruct E as (u & v & rest & P & Q).
    assert (forall t, count t xs = (if u <=? t then 1 else 0) + count t rest /\
      count t ys = (if v <=? t then 1 else 0) + count t rest) as C.
    { intros t. now rewrite (count_permutation t _ _ P), (count_permutation t _ _ Q). }
    destruct (Z.le_gt_cases u v) as [L|L]; [left | right]; apply G; auto; try lia;
      intros t i Hi; destruct (C t) as [C1 C2]; rewrite N in *;
      destruct (Z.leb_spec u t), (Z.leb_spec v t); lia.
  - now apply A.
  - destruct (A ys xs Y X E) as [H|H]; [right | left]; easy.
Qed.

(** * Quantiles are private, from the records to the answer *)

Lemma edit_symmetric {A} (xs ys : list A) : edit xs ys -> edit ys xs.
Proof.
  intros [(u & v & rest & P & Q)|[E|E]]; [left; exists v, u, rest; auto | right; right; auto
    | right; left; auto].
Qed.

Corollary edit_neighbours xs ys : within_limits m xs -> within_limits m ys -> edit xs ys ->
  neighbours (edit_profile m q xs) (edit_profile m q ys).
Proof. split; apply edit_neighbour_law; auto using edit_symmetric. Qed.

Corollary add_remove_neighbours xs ys :
  within_limits m xs -> within_limits m ys -> add_remove xs ys ->
  neighbours (add_remove_profile m q xs) (add_remove_profile m q ys).
Proof. intros X Y [E|E]; split; apply add_remove_neighbour_law; auto; [now left | now right | now right | now left]. Qed.

(** [InverseSensitivity] (flat) and [PiecewiseLaplace] (sloped), under replace-one and edit. *)
Theorem quantile_private_under_edit epsilon sloped xs ys :
  positive epsilon -> within_limits m xs -> within_limits m ys -> edit xs ys ->
  let law table := levels_law epsilon sloped r (edit_profile m q table) in
  close (val epsilon) (points r) (law xs) (law ys) /\
  bounded_range (val epsilon) (points r) (law xs) (law ys).
Proof.
  intros. apply levels_law_private; auto using edit_profile_valid, edit_neighbours.
Qed.

(** The same under add-remove, with the exact bounds. *)
Theorem quantile_private_under_add_remove epsilon sloped xs ys :
  positive epsilon -> within_limits m xs -> within_limits m ys -> add_remove xs ys ->
  let law table := levels_law epsilon sloped r (add_remove_profile m q table) in
  close (val epsilon) (points r) (law xs) (law ys) /\
  bounded_range (val epsilon) (points r) (law xs) (law ys).
Proof.
  intros. apply levels_law_private; auto using add_remove_profile_valid, add_remove_neighbours.
Qed.

End Orders.
End Tables.
