(** The bounds of a sum after l changes obey the neighbour law, and move one way.

    Model of [Sum.profile] in [statistics/totals/sum.py] and of its [prefix_sums]: records are
    integers between public limits, the l smallest of them are changed first, or the l largest. *)

From Coq Require Import ZArith List Permutation Lia.
From LeastNoise Require Import Score OrderStatistics Sums.
Import ListNotations.
Open Scope Z_scope.

(** * The model *)

Definition mirror_limits (m : limits) : limits := Limits (- most m) (- least m).

(** The records from the largest on. *)
Definition descending (xs : list Z) : list Z := map Z.opp (sorted (map Z.opp xs)).

(** [prefix_sums]: what the first l records change. *)
Definition changed (amount : Z -> Z) (l : nat) (records : list Z) : Z :=
  sum (map amount (firstn l records)).

(** What one inserted record can add, and take away. *)
Definition up (m : limits) : Z := Z.max (most m) 0.
Definition down (m : limits) : Z := Z.max (- least m) 0.

(** Replace-one: a record becomes the upper limit, or the lower one. *)
Definition public_profile (m : limits) (xs : list Z) : profile :=
  Profile (sum xs)
    (fun l => sum xs + changed (fun x => most m - x) l (sorted xs))
    (fun l => sum xs - changed (fun x => x - least m) l (descending xs)).

(** What a move gains beyond an insertion: under add-remove it deletes instead, under edit it does
    both. *)
Definition gain (deletes_only : bool) (bonus x : Z) : Z :=
  Z.max 0 (if deletes_only then - x - bonus else - x).

(** The declared range of a private number of records. *)
Definition inside (m : limits) (max_rows x : Z) : Z :=
  Z.max (- down m * max_rows) (Z.min (up m * max_rows) x).

Definition private_profile (deletes_only : bool) (max_rows : Z) (m : limits) (xs : list Z) : profile :=
  Profile (inside m max_rows (sum xs))
    (fun l => inside m max_rows
      (sum xs + Z.of_nat l * up m + changed (gain deletes_only (up m)) l (sorted xs)))
    (fun l => inside m max_rows
      (sum xs - Z.of_nat l * down m
       - changed (fun x => gain deletes_only (down m) (- x)) l (descending xs))).

(** * Changing one record more *)

Lemma ascending_unique xs ys : ascending xs -> ascending ys -> Permutation xs ys -> xs = ys.
Proof.
  intros X. revert ys. induction X as [|x xs H X IH]; intros ys Y P.
  - now apply Permutation_nil in P.
  - destruct Y as [|y ys G Y]; [now apply Permutation_sym, Permutation_nil in P|].
    assert (x = y) as ->.
    { assert (In y (x :: xs)) as A by (apply (Permutation_in _ (Permutation_sym P)); now left).
      assert (In x (y :: ys)) as B by (apply (Permutation_in _ P); now left).
      destruct A as [A|A]; [easy|]. destruct B as [B|B]; [easy|].
      specialize (H y A). specialize (G x B). lia. }
    f_equal. apply IH; [easy|]. now apply Permutation_cons_inv in P.
Qed.

Lemma sorted_same xs ys : Permutation xs ys -> sorted xs = sorted ys.
Proof.
  intros P. apply ascending_unique; try apply sorted_ascending.
  rewrite <- (sorted_permutation xs), <- (sorted_permutation ys). exact P.
Qed.

Lemma sum_opp xs : sum (map Z.opp xs) = - sum xs.
Proof. induction xs as [|x xs IH]; cbn; lia. Qed.

Section Side.
(** One side: an inserted record adds at most [bonus], the smallest records are changed first. *)
Variable m : limits.
Variable amount : Z -> Z.
Variable bonus : Z.
Hypothesis amount_falls : forall x y, x <= y -> amount y <= amount x.
Hypothesis amount_nonneg : forall x, least m <= x <= most m -> 0 <= amount x.

Definition reached (l : nat) (xs : list Z) : Z :=
  sum xs + Z.of_nat l * bonus + changed amount l (sorted xs).

Lemma changed_later l xs : within_limits m xs -> changed amount l xs <= changed amount (S l) xs.
Proof.
  unfold changed. revert l. induction xs as [|x xs IH]; intros l W; [destruct l; cbn; lia|].
  pose proof (amount_nonneg x (W x ltac:(now left))).
  destruct l as [|l]; [cbn; lia|]. cbn. specialize (IH l ltac:(intros y Hy; apply W; now right)). cbn in IH. lia.
Qed.

Lemma changed_first l x xs : ascending (x :: xs) -> within_limits m (x :: xs) ->
  changed amount l xs <= changed amount l (x :: xs).
Proof.
  revert l x. induction xs as [|y xs IH]; intros l x S W;
    pose proof (amount_nonneg x (W x ltac:(now left))).
  { unfold changed. destruct l as [|[|l]]; cbn; lia. }
  destruct l as [|l]; [unfold changed; cbn; lia|].
  inversion S as [|? ? Hs S']; subst.
  specialize (IH l y S' ltac:(intros z Hz; apply W; now right)).
  pose proof (amount_falls x y (Hs y ltac:(now left))). unfold changed in *. cbn in *. lia.
Qed.

(** A record more: it is among the first, or nothing is changed. *)
Lemma changed_insert l u xs : ascending xs -> within_limits m (u :: xs) ->
  changed amount (S l) (insert u xs) =
    Z.max (amount u + changed amount l xs) (changed amount (S l) xs).
Proof.
  revert l. induction xs as [|y xs IH]; intros l S W;
    pose proof (amount_nonneg u (W u ltac:(now left))) as N.
  { unfold changed. cbn. destruct l; cbn; lia. }
  cbn [insert]. destruct (Z.leb_spec u y) as [L|L].
  - assert (changed amount l xs <= changed amount l (y :: xs)) as F.
    { apply changed_first; [easy|]. intros z Hz. apply W. now right. }
    pose proof (amount_falls u y L). unfold changed in *. cbn in *. lia.
  - inversion S as [|? ? H S']; subst. pose proof (amount_falls y u ltac:(lia)) as A.
    destruct l as [|l]; [unfold changed; cbn; lia|].
    specialize (IH l S' ltac:(intros z [->|Hz]; apply W; [now left | right; now right])).
    unfold changed in *. cbn in *. lia.
Qed.

Lemma sorted_within xs : within_limits m xs -> within_limits m (sorted xs).
Proof. intros W x Hx. apply W. now apply (Permutation_in _ (Permutation_sym (sorted_permutation xs))). Qed.

Lemma changed_cons l u xs : within_limits m (u :: xs) ->
  changed amount (S l) (sorted (u :: xs)) =
    Z.max (amount u + changed amount l (sorted xs)) (changed amount (S l) (sorted xs)).
Proof.
  intros W. cbn [sorted]. apply changed_insert; [apply sorted_ascending|].
  intros x [<-|Hx]; [apply W; now left|]. apply (sorted_within xs); [|easy].
  intros y Hy. apply W. now right.
Qed.

Lemma changed_at_most l u xs : within_limits m (u :: xs) ->
  changed amount l (sorted (u :: xs)) <= amount u + changed amount l (sorted xs).
Proof.
  intros W. pose proof (amount_nonneg u (W u ltac:(now left))).
  destruct l as [|l]; [unfold changed; cbn; lia|]. rewrite changed_cons by easy.
  pose proof (changed_later l (sorted xs)
    (sorted_within xs ltac:(intros y Hy; apply W; now right))). lia.
Qed.

Lemma changed_at_least l u xs : within_limits m (u :: xs) ->
  changed amount l (sorted xs) <= changed amount l (sorted (u :: xs)).
Proof.
  intros W. destruct l as [|l]; [unfold changed; cbn; lia|]. rewrite changed_cons by easy. lia.
Qed.

Lemma reached_same l xs ys : Permutation xs ys -> reached l xs = reached l ys.
Proof. intros P. unfold reached. now rewrite (sorted_same xs ys P), (sum_permutation xs ys P). Qed.

Lemma reached_cons l u xs : reached l (u :: xs) = u + (sum xs + Z.of_nat l * bonus)
  + changed amount l (sorted (u :: xs)).
Proof. unfold reached. cbn [sum]. lia. Qed.

Lemma within_same xs ys : Permutation xs ys -> within_limits m xs -> within_limits m ys.
Proof. intros P W x Hx. apply W. now apply (Permutation_in _ (Permutation_sym P)). Qed.

(** What each relation asks of the amounts. *)
Definition replaceable : Prop := forall u v,
  least m <= u <= most m -> least m <= v <= most m -> v + amount v <= u + amount u + bonus.
Definition insertable : Prop := forall u, least m <= u <= most m -> u + amount u <= bonus.
Definition deletable : Prop := forall u, least m <= u <= most m -> 0 <= u + amount u + bonus.

Lemma reached_replaced xs ys l : replaceable -> within_limits m xs -> within_limits m ys ->
  replace_one xs ys -> reached l ys <= reached (S l) xs.
Proof.
  intros H X Y (u & v & rest & P & Q).
  rewrite (reached_same _ _ _ P), (reached_same _ _ _ Q), !reached_cons.
  pose proof (within_same _ _ P X) as X'. pose proof (within_same _ _ Q Y) as Y'.
  specialize (H u v (X' u ltac:(now left)) (Y' v ltac:(now left))).
  pose proof (changed_at_most l v rest Y'). rewrite (changed_cons l u rest X'). lia.
Qed.

Lemma reached_inserted xs ys l : insertable -> within_limits m ys ->
  add_one xs ys -> reached l ys <= reached (S l) xs.
Proof.
  intros H Y (u & P). rewrite (reached_same _ _ _ P), reached_cons. unfold reached.
  pose proof (within_same _ _ P Y) as Y'. specialize (H u (Y' u ltac:(now left))).
  pose proof (changed_at_most l u xs Y').
  pose proof (changed_later l (sorted xs)
    (sorted_within xs ltac:(intros y Hy; apply Y'; now right))). lia.
Qed.

Lemma reached_deleted xs ys l : deletable -> within_limits m xs ->
  add_one ys xs -> reached l ys <= reached (S l) xs.
Proof.
  intros H X (u & P). rewrite (reached_same _ _ _ P), reached_cons. unfold reached.
  pose proof (within_same _ _ P X) as X'. specialize (H u (X' u ltac:(now left))).
  rewrite (changed_cons l u ys X'). lia.
Qed.

(** Records that only grow, and what an inserted one of either sign does. *)
Lemma reached_grown l u v rest : (u <= v -> u + amount u <= v + amount v) ->
  within_limits m (u :: rest) -> within_limits m (v :: rest) -> u <= v ->
  reached l (u :: rest) <= reached l (v :: rest).
Proof.
  intros H U V L. specialize (H L). rewrite !reached_cons.
  destruct l as [|l]; [unfold changed; cbn; lia|]. rewrite !changed_cons by easy. lia.
Qed.

Lemma reached_added l u xs : within_limits m (u :: xs) -> 0 <= u ->
  reached l xs <= reached l (u :: xs).
Proof.
  intros W H. rewrite reached_cons. unfold reached. pose proof (changed_at_least l u xs W). lia.
Qed.

Lemma reached_lowered l u xs : u + amount u <= 0 -> within_limits m (u :: xs) -> u <= 0 ->
  reached l (u :: xs) <= reached l xs.
Proof.
  intros H W L. rewrite reached_cons. unfold reached.
  destruct l as [|l]; [unfold changed; cbn; lia|]. rewrite changed_cons by easy.
  pose proof (changed_later l (sorted xs)
    (sorted_within xs ltac:(intros y Hy; apply W; now right))). lia.
Qed.

Lemma reached_later l xs : 0 <= bonus -> within_limits m xs -> reached l xs <= reached (S l) xs.
Proof.
  intros H W. unfold reached. pose proof (changed_later l (sorted xs) (sorted_within xs W)). lia.
Qed.

End Side.

(** * The bounds of a sum *)

Lemma opp_within m xs : within_limits m xs -> within_limits (mirror_limits m) (map Z.opp xs).
Proof. intros W x Hx. apply in_map_iff in Hx. destruct Hx as (y & <- & Hy). specialize (W y Hy). cbn. lia. Qed.

Lemma opp_replace xs ys : replace_one xs ys -> replace_one (map Z.opp xs) (map Z.opp ys).
Proof.
  intros (u & v & rest & P & Q). exists (- u), (- v), (map Z.opp rest).
  split; [exact (Permutation_map Z.opp P) | exact (Permutation_map Z.opp Q)].
Qed.

Lemma opp_add xs ys : add_one xs ys -> add_one (map Z.opp xs) (map Z.opp ys).
Proof. intros (u & P). exists (- u). exact (Permutation_map Z.opp P). Qed.

(** The lower bound is the upper one of the mirrored records. *)
Lemma changed_descending amount l xs :
  changed amount l (descending xs) = changed (fun x => amount (- x)) l (sorted (map Z.opp xs)).
Proof.
  unfold changed, descending. rewrite firstn_map, map_map. reflexivity.
Qed.

Lemma public_upper m xs l : upper (public_profile m xs) l = reached (fun x => most m - x) 0 l xs.
Proof. unfold reached. cbn [upper public_profile]. lia. Qed.

Lemma changed_ext f g l xs : (forall x, f x = g x) -> changed f l xs = changed g l xs.
Proof. intros H. unfold changed. now rewrite (map_ext f g H). Qed.

Lemma public_lower m xs l : lower (public_profile m xs) l =
  - reached (fun x => most (mirror_limits m) - x) 0 l (map Z.opp xs).
Proof.
  unfold reached. cbn [lower public_profile mirror_limits most]. rewrite changed_descending, sum_opp.
  rewrite (changed_ext (fun x => - x - least m) (fun x => - least m - x)) by (intros; lia). lia.
Qed.

Lemma private_upper b n m xs l :
  upper (private_profile b n m xs) l = inside m n (reached (gain b (up m)) (up m) l xs).
Proof. reflexivity. Qed.

Lemma private_lower b n m xs l : lower (private_profile b n m xs) l =
  inside m n (- reached (gain b (up (mirror_limits m))) (up (mirror_limits m)) l (map Z.opp xs)).
Proof.
  unfold reached. cbn [lower private_profile]. rewrite changed_descending, sum_opp.
  change (up (mirror_limits m)) with (down m).
  rewrite (changed_ext (fun x => gain b (down m) (- - x)) (gain b (down m)))
    by (intros; now rewrite Z.opp_involutive). f_equal. lia.
Qed.

Section Bounds.
Variable m : limits.
Variable xs ys : list Z.
Hypothesis xs_within : within_limits m xs.
Hypothesis ys_within : within_limits m ys.

Lemma room_falls x y : x <= y -> most m - y <= most m - x.
Proof. lia. Qed.

(** A public number of records. *)
Theorem public_sum_neighbours : replace_one xs ys ->
  neighbours (public_profile m xs) (public_profile m ys).
Proof.
  assert (forall m us vs l, within_limits m us -> within_limits m vs -> replace_one us vs ->
    reached (fun x => most m - x) 0 l vs <= reached (fun x => most m - x) 0 (l + 1) us) as G.
  { clear. intros m us vs l U V R. rewrite Nat.add_comm.
    apply (reached_replaced m); auto; try (intros; lia). intros u v Hu Hv. lia. }
  intros R.
  assert (replace_one ys xs) as R' by (destruct R as (u & v & rest & P & Q); now exists v, u, rest).
  split; intros l; rewrite !public_upper, !public_lower.
  - pose proof (G m xs ys l xs_within ys_within R).
    pose proof (G _ _ _ l (opp_within m xs xs_within) (opp_within m ys ys_within) (opp_replace _ _ R)).
    lia.
  - pose proof (G m ys xs l ys_within xs_within R').
    pose proof (G _ _ _ l (opp_within m ys ys_within) (opp_within m xs xs_within) (opp_replace _ _ R')).
    lia.
Qed.

(** ... and they move one way. *)
Theorem public_sum_one_way : replace_one xs ys ->
  one_way (public_profile m xs) (public_profile m ys).
Proof.
  assert (forall m us vs u v rest, within_limits m us -> within_limits m vs ->
    Permutation us (u :: rest) -> Permutation vs (v :: rest) -> u <= v ->
    below_all (public_profile m us) (public_profile m vs)) as G.
  { clear. intros m us vs u v rest U V P Q L l. rewrite !public_upper, !public_lower.
    rewrite (reached_same _ _ l _ _ P), (reached_same _ _ l _ _ Q).
    rewrite (reached_same _ _ l _ _ (Permutation_map Z.opp P)).
    rewrite (reached_same _ _ l _ _ (Permutation_map Z.opp Q)). cbn [map]. split.
    - apply (reached_grown m); try (intros; lia); now apply (within_same m) in P, Q.
    - apply -> Z.opp_le_mono. apply (reached_grown (mirror_limits m)); try (intros; cbn; lia).
      + cbn. lia.
      + apply (opp_within m (v :: rest)). now apply (within_same m) in Q.
      + apply (opp_within m (u :: rest)). now apply (within_same m) in P. }
  intros (u & v & rest & P & Q). destruct (Z.le_ge_cases u v) as [L|L].
  - left. now apply (G m xs ys u v rest).
  - right. now apply (G m ys xs v u rest).
Qed.

Variable max_rows : Z.

Lemma inside_monotone x y : x <= y -> inside m max_rows x <= inside m max_rows y.
Proof. unfold inside. lia. Qed.

Lemma gain_falls b bonus x y : x <= y -> gain b bonus y <= gain b bonus x.
Proof. unfold gain. destruct b; lia. Qed.

Lemma gain_nonneg b bonus x : 0 <= gain b bonus x.
Proof. unfold gain. lia. Qed.

Lemma gain_insertable b m' : insertable m' (gain b (up m')) (up m').
Proof. intros u H. unfold gain, up. destruct b; lia. Qed.

Lemma gain_deletable b m' : deletable m' (gain b (up m')) (up m').
Proof. intros u H. unfold gain, up. destruct b; lia. Qed.

(** Only where a move can delete and insert at once. *)
Lemma gain_replaceable m' : replaceable m' (gain false (up m')) (up m').
Proof. intros u v H H'. unfold gain, up. lia. Qed.

(** A private number of records, under add-remove and, with what a replaced one gains, under edit. *)
Theorem private_sum_neighbours (deletes_only : bool) :
  (if deletes_only then add_remove xs ys else edit xs ys) ->
  neighbours (private_profile deletes_only max_rows m xs) (private_profile deletes_only max_rows m ys).
Proof.
  assert (forall m us vs l, within_limits m us -> within_limits m vs ->
    (if deletes_only then add_remove us vs else edit us vs) ->
    reached (gain deletes_only (up m)) (up m) l vs
      <= reached (gain deletes_only (up m)) (up m) (l + 1) us) as G.
  { clear. intros m us vs l U V R. rewrite Nat.add_comm. cbn [Nat.add].
    assert (add_remove us vs -> reached (gain deletes_only (up m)) (up m) l vs
      <= reached (gain deletes_only (up m)) (up m) (S l) us) as A.
    { intros [R'|R'].
      - apply (reached_inserted m); auto using gain_falls, gain_nonneg, gain_insertable.
      - apply (reached_deleted m); auto using gain_falls, gain_nonneg, gain_deletable. }
    destruct deletes_only; [now apply A|]. destruct R as [R|R]; [|now apply A].
    apply (reached_replaced m); auto using gain_falls, gain_nonneg, gain_replaceable. }
  intros R.
  assert (if deletes_only then add_remove ys xs else edit ys xs) as R'.
  { assert (add_remove xs ys -> add_remove ys xs) as S by (intros [A|A]; [now right | now left]).
    destruct deletes_only; [now apply S|]. destruct R as [R|R]; [left | right; now apply S].
    destruct R as (u & v & rest & P & Q). now exists v, u, rest. }
  assert (forall us vs, (if deletes_only then add_remove us vs else edit us vs) ->
    if deletes_only then add_remove (map Z.opp us) (map Z.opp vs)
    else edit (map Z.opp us) (map Z.opp vs)) as O.
  { clear. intros us vs R.
    assert (add_remove us vs -> add_remove (map Z.opp us) (map Z.opp vs)) as S
      by (intros [A|A]; [left | right]; now apply opp_add).
    destruct deletes_only; [now apply S|].
    destruct R as [R|R]; [left; now apply opp_replace | right; now apply S]. }
  split; intros l; rewrite !private_upper, !private_lower;
    (split; apply inside_monotone; [| apply -> Z.opp_le_mono]).
  - now apply G.
  - exact (G _ _ _ l (opp_within m xs xs_within) (opp_within m ys ys_within) (O _ _ R)).
  - now apply G.
  - exact (G _ _ _ l (opp_within m ys ys_within) (opp_within m xs xs_within) (O _ _ R')).
Qed.

Theorem private_sum_one_way (deletes_only : bool) :
  (if deletes_only then add_remove xs ys else edit xs ys) ->
  one_way (private_profile deletes_only max_rows m xs) (private_profile deletes_only max_rows m ys).
Proof.
  set (b := deletes_only).
  assert (forall us vs, within_limits m us -> within_limits m vs ->
    (forall l, reached (gain b (up m)) (up m) l us <= reached (gain b (up m)) (up m) l vs) ->
    (forall l, reached (gain b (down m)) (down m) l (map Z.opp vs)
      <= reached (gain b (down m)) (down m) l (map Z.opp us)) ->
    below_all (private_profile b max_rows m us) (private_profile b max_rows m vs)) as B.
  { intros us vs _ _ A C l. rewrite !private_upper, !private_lower.
    change (up (mirror_limits m)) with (down m).
    split; apply inside_monotone; [apply A | apply -> Z.opp_le_mono; apply C]. }
  assert (forall bonus x, 0 <= bonus -> x <= 0 -> x + gain b bonus x <= 0) as Low
    by (intros; unfold gain; destruct b; lia).
  assert (forall bonus x y, x <= y -> x + gain b bonus x <= y + gain b bonus y) as Grow
    by (intros; unfold gain; destruct b; lia).
  assert (0 <= up m /\ 0 <= down m) as [Up Down] by (unfold up, down; lia).
  assert (forall us vs u, within_limits m us -> within_limits m vs -> Permutation vs (u :: us) ->
    one_way (private_profile b max_rows m us) (private_profile b max_rows m vs)) as A.
  { intros us vs u U V P. pose proof (within_same m _ _ P V) as V'.
    pose proof (opp_within m _ V') as V''. cbn [map] in V''.
    destruct (Z.le_ge_cases 0 u) as [L|L]; [left | right]; apply B; auto; intros l;
      rewrite ?(reached_same _ _ l _ _ P), ?(reached_same _ _ l _ _ (Permutation_map Z.opp P));
      cbn [map].
    - apply (reached_added m); auto using gain_falls, gain_nonneg.
    - apply (reached_lowered (mirror_limits m)); auto using gain_falls, gain_nonneg;
        [apply Low|]; lia.
    - apply (reached_lowered m); auto using gain_falls, gain_nonneg.
    - apply (reached_added (mirror_limits m)); auto using gain_falls, gain_nonneg. lia. }
  assert (add_remove xs ys ->
    one_way (private_profile b max_rows m xs) (private_profile b max_rows m ys)) as AR.
  { intros [(u & P)|(u & P)]; [now apply (A xs ys u)|].
    destruct (A ys xs u ys_within xs_within P) as [H|H]; [now right | now left]. }
  intros R. subst b. destruct deletes_only; [now apply AR|]. destruct R as [R|R]; [|now apply AR].
  destruct R as (u & v & rest & P & Q).
  pose proof (within_same m _ _ P xs_within) as X. pose proof (within_same m _ _ Q ys_within) as Y.
  pose proof (opp_within m _ X) as X'. pose proof (opp_within m _ Y) as Y'. cbn [map] in X', Y'.
  destruct (Z.le_ge_cases u v) as [L|L]; [left | right]; apply B; auto; intros l;
    rewrite (reached_same _ _ l _ _ P), (reached_same _ _ l _ _ Q)
    || rewrite (reached_same _ _ l _ _ (Permutation_map Z.opp P)),
         (reached_same _ _ l _ _ (Permutation_map Z.opp Q)); cbn [map];
    [apply (reached_grown m) | apply (reached_grown (mirror_limits m))
    | apply (reached_grown m) | apply (reached_grown (mirror_limits m))];
    auto using gain_falls, gain_nonneg; try lia; intros; apply Grow; lia.
Qed.

End Bounds.
