(** What filters and disjoint groups cost together, and persons of several rows.

    Model of [docs/proofs/groups.md] and [persons.md]: [summaries/subset.py] (a row alone decides
    whether it is kept and where), [session/checking.py] (the multiples that are charged) and
    [profiles/maps.py] ([strided]). *)

From Coq Require Import List Permutation Reals Lra Lia Bool ZArith.
From LeastNoise Require Import Law Score OrderStatistics.
Import ListNotations.
Open Scope R_scope.

(** * Independent answers: only the factors that change cost anything *)

Fixpoint product {K} (f : K -> R) (keys : list K) : R :=
  match keys with [] => 1 | k :: rest => f k * product f rest end.

Lemma product_nonneg {K} (f : K -> R) keys : (forall k, 0 <= f k) -> 0 <= product f keys.
Proof. intros H. induction keys; cbn; [lra | now apply Rmult_le_pos]. Qed.

Theorem product_private {K} (f g : K -> R) (changed : K -> bool) epsilon keys :
  (forall k, 0 <= f k) -> (forall k, 0 <= g k) ->
  (forall k, changed k = false -> f k <= g k) -> (forall k, f k <= exp epsilon * g k) ->
  product f keys <= exp (INR (length (filter changed keys)) * epsilon) * product g keys.
Proof.
  intros F G Same Close. induction keys as [|k keys IH]; cbn [product filter].
  - cbn. rewrite Rmult_0_l, exp_0. lra.
  - pose proof (product_nonneg f keys F). pose proof (product_nonneg g keys G).
    set (c := exp (INR (length (filter changed keys)) * epsilon)) in *.
    specialize (Same k). destruct (changed k) eqn:E.
    + cbn [length]. rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus. fold c.
      replace (c * exp epsilon * (g k * product g keys))
        with ((exp epsilon * g k) * (c * product g keys)) by ring.
      now apply Rmult_le_compat.
    + fold c. replace (c * (g k * product g keys)) with (g k * (c * product g keys)) by ring.
      apply Rmult_le_compat; auto.
Qed.

(** * Filters: one row alone decides *)

Lemma filter_permutation {A} (f : A -> bool) xs ys :
  Permutation xs ys -> Permutation (filter f xs) (filter f ys).
Proof.
  induction 1 as [| x xs ys _ IH | x y xs | xs ys zs _ IH1 _ IH2]; cbn; auto.
  - destruct (f x); auto.
  - destruct (f x), (f y); auto using perm_swap.
  - etransitivity; eauto.
Qed.

(** A row more or less: one row more or less is left, or the same. *)
Lemma filter_add_one {A} (f : A -> bool) (xs ys : list A) u :
  Permutation ys (u :: xs) ->
  if f u then Permutation (filter f ys) (u :: filter f xs)
  else Permutation (filter f ys) (filter f xs).
Proof. intros P. apply (filter_permutation f) in P. cbn in P. now destruct (f u). Qed.

Theorem filter_add_remove {A} (f : A -> bool) (xs ys : list A) : add_remove xs ys ->
  Permutation (filter f xs) (filter f ys) \/ add_remove (filter f xs) (filter f ys).
Proof.
  intros [(u & P)|(u & P)]; apply (filter_add_one f) in P; destruct (f u).
  - right. left. now exists u.
  - left. now symmetry.
  - right. right. now exists u.
  - now left.
Qed.

(** A row changed: what is left is the same, or at edit distance one. *)
Theorem filter_edit {A} (f : A -> bool) (xs ys : list A) : edit xs ys ->
  Permutation (filter f xs) (filter f ys) \/ edit (filter f xs) (filter f ys).
Proof.
  intros [(u & v & rest & P & Q)|H].
  - apply (filter_add_one f) in P, Q. destruct (f u), (f v).
    + right. left. now exists u, v, (filter f rest).
    + right. right. right. exists u.
      etransitivity; [exact P|]. constructor. now symmetry.
    + right. right. left. exists v.
      etransitivity; [exact Q|]. constructor. now symmetry.
    + left. etransitivity; [exact P | now symmetry].
  - destruct (filter_add_remove f xs ys H); [now left | right; now right].
Qed.

(** * Groups *)

Section Groups.
Context {Row Key Out : Type}.
Variable key_dec : forall a b : Key, {a = b} + {a <> b}.

(** Which group a row is in is a function of that row. *)
Variable key_of : Row -> Key.
(** All declared keys are answered, each once. *)
Variable keys : list Key.
Hypothesis keys_distinct : NoDup keys.

Definition is_key (k : Key) (r : Row) : bool := if key_dec (key_of r) k then true else false.

Definition group (k : Key) (xs : list Row) : list Row := filter (is_key k) xs.

(** The chance that the release of one group's rows gives an answer. *)
Variable answer : Key -> list Row -> Out -> R.
Hypothesis answer_nonneg : forall k t y, 0 <= answer k t y.
(** Rows have no order. *)
Hypothesis answer_unordered : forall k t u y, Permutation t u -> answer k t y = answer k u y.

(** All answers together, each from its own rows and its own noise. *)
Definition joint (xs : list Row) (y : Key -> Out) : R :=
  product (fun k => answer k (group k xs) (y k)) keys.

Lemma is_key_true k r : is_key k r = true <-> key_of r = k.
Proof. unfold is_key. destruct (key_dec (key_of r) k); easy. Qed.

(** Of distinct keys at most as many are among [some] as [some] has. *)
Lemma keys_among (changed : Key -> bool) (some : list Key) :
  (forall k, changed k = true -> In k some) ->
  (length (filter changed keys) <= Nat.min (length keys) (length some))%nat.
Proof.
  intros H. apply Nat.min_glb.
  - clear. induction keys as [|k ks IH]; cbn; [lia|]. destruct (changed k); cbn; lia.
  - apply NoDup_incl_length; [now apply NoDup_filter|].
    intros k Hk. apply filter_In in Hk. now apply H.
Qed.

Definition among (some : list Key) (k : Key) : bool :=
  if in_dec key_dec k some then true else false.

Lemma among_true some k : among some k = true <-> In k some.
Proof. unfold among. destruct (in_dec key_dec k some); easy. Qed.

Lemma joint_private epsilon xs ys y (some : list Key) :
  0 <= epsilon ->
  (forall k, ~ In k some -> Permutation (group k xs) (group k ys)) ->
  (forall k, answer k (group k xs) (y k) <= exp epsilon * answer k (group k ys) (y k)) ->
  joint xs y <= exp (INR (Nat.min (length keys) (length some)) * epsilon) * joint ys y.
Proof.
  intros He Same Close. unfold joint.
  eapply Rle_trans.
  - apply (product_private _ (fun k => answer k (group k ys) (y k)) (among some) epsilon keys); auto.
    intros k Hk. rewrite (answer_unordered k _ (group k ys)); [lra|]. apply Same.
    intros F. apply among_true in F. congruence.
  - apply Rmult_le_compat_r; [now apply product_nonneg|]. apply exp_le.
    apply Rmult_le_compat_r; [easy|]. apply le_INR, keys_among.
    intros k. apply among_true.
Qed.

(** An added or removed row is in one group: epsilon. *)
Theorem groups_under_add_remove epsilon xs ys y :
  0 <= epsilon ->
  (forall k t u z, add_remove t u -> answer k t z <= exp epsilon * answer k u z) ->
  add_remove xs ys -> joint xs y <= exp epsilon * joint ys y.
Proof.
  intros He Private H.
  assert (exists u, forall k, k <> key_of u -> Permutation (group k xs) (group k ys)) as (u & Hu).
  { destruct H as [(u & P)|(u & P)]; exists u; intros k Hk; unfold group;
      apply (filter_add_one (is_key k)) in P;
      destruct (is_key k u) eqn:E; try (apply is_key_true in E; congruence);
      [now symmetry | easy]. }
  eapply Rle_trans.
  - apply (joint_private epsilon xs ys y [key_of u]); auto.
    + intros k Hk. apply Hu. intros ->. apply Hk. now left.
    + intros k. destruct (filter_add_remove (is_key k) xs ys H) as [P|P]; [|now apply Private].
      change (Permutation (group k xs) (group k ys)) in P.
      rewrite (answer_unordered k _ _ (y k) P). pose proof (answer_nonneg k (group k ys) (y k)).
      assert (1 <= exp epsilon) by (rewrite <- exp_0; now apply exp_le). nra.
  - apply Rmult_le_compat_r; [now apply product_nonneg|]. apply exp_le.
    cbn [length]. assert (INR (Nat.min (length keys) 1) <= 1)
      by (apply (le_INR _ 1); lia). nra.
Qed.

(** A replaced row can leave one group and enter another: min(keys, 2) epsilon. *)
Theorem groups_under_edit epsilon xs ys y :
  0 <= epsilon ->
  (forall k t u z, edit t u -> answer k t z <= exp epsilon * answer k u z) ->
  edit xs ys -> joint xs y <= exp (INR (Nat.min (length keys) 2) * epsilon) * joint ys y.
Proof.
  intros He Private H.
  assert (exists u v, forall k, k <> key_of u -> k <> key_of v ->
    Permutation (group k xs) (group k ys)) as (u & v & Huv).
  { destruct H as [(u & v & rest & P & Q)|[(u & P)|(u & P)]].
    - exists u, v. intros k Hu Hv. unfold group.
      apply (filter_add_one (is_key k)) in P, Q.
      destruct (is_key k u) eqn:E; [apply is_key_true in E; congruence|].
      destruct (is_key k v) eqn:F; [apply is_key_true in F; congruence|].
      etransitivity; [exact P | now symmetry].
    - exists u, u. intros k Hk _. apply (filter_add_one (is_key k)) in P.
      destruct (is_key k u) eqn:E; [apply is_key_true in E; congruence | now symmetry].
    - exists u, u. intros k Hk _. apply (filter_add_one (is_key k)) in P.
      destruct (is_key k u) eqn:E; [apply is_key_true in E; congruence | easy]. }
  apply (joint_private epsilon xs ys y [key_of u; key_of v]); auto.
  - intros k Hk. apply Huv; intros ->; apply Hk; [now left | right; now left].
  - intros k. destruct (filter_edit (is_key k) xs ys H) as [P|P]; [|now apply Private].
    change (Permutation (group k xs) (group k ys)) in P.
      rewrite (answer_unordered k _ _ (y k) P). pose proof (answer_nonneg k (group k ys) (y k)).
    assert (1 <= exp epsilon) by (rewrite <- exp_0; now apply exp_le). nra.
Qed.

(** * Persons in groups *)

(** The keys of a person's rows, each once: at most min(g, m) where the limits hold. *)
Definition keys_of (rows : list Row) : list Key := nodup key_dec (map key_of rows).

Lemma keys_of_rows rows : (length (keys_of rows) <= length rows)%nat.
Proof.
  unfold keys_of. rewrite <- (map_length key_of rows).
  generalize (map key_of rows) as ks. induction ks as [|k ks IH]; cbn; [lia|].
  destruct (in_dec key_dec k ks); cbn; lia.
Qed.

Lemma group_without k rows : ~ In k (keys_of rows) -> group k rows = [].
Proof.
  unfold keys_of. rewrite nodup_In. induction rows as [|r rows IH]; cbn; [easy|].
  intros H. unfold group. cbn. destruct (is_key k r) eqn:E.
  - apply is_key_true in E. destruct H. now left.
  - apply IH. auto.
Qed.

(** One person's rows are exchanged for those of another: each of them pays for its own groups.
    With no rows on one side this is add-remove. *)
Theorem groups_of_persons epsilon g m a b rest xs ys y :
  0 <= epsilon ->
  Permutation xs (a ++ rest) -> Permutation ys (b ++ rest) ->
  (length a <= m)%nat -> (length b <= m)%nat ->
  (length (keys_of a) <= g)%nat -> (length (keys_of b) <= g)%nat ->
  (forall k c d t z, (length c <= m)%nat -> (length d <= m)%nat ->
     answer k (c ++ t) z <= exp epsilon * answer k (d ++ t) z) ->
  let persons n := match n with O => O | _ => Nat.min g m end in
  joint xs y <= exp (INR (Nat.min (length keys) (persons (length a) + persons (length b))) * epsilon)
                * joint ys y.
Proof.
  intros He P Q A B Ga Gb Private persons.
  assert (forall k, Permutation (group k xs) (group k a ++ group k rest)) as Px.
  { intros k. unfold group. rewrite <- filter_app. now apply filter_permutation. }
  assert (forall k, Permutation (group k ys) (group k b ++ group k rest)) as Py.
  { intros k. unfold group. rewrite <- filter_app. now apply filter_permutation. }
  assert (forall k rows, (length (group k rows) <= length rows)%nat) as L.
  { intros k rows. unfold group. induction rows as [|r rows IH]; cbn; [lia|].
    destruct (is_key k r); cbn; lia. }
  eapply Rle_trans.
  - apply (joint_private epsilon xs ys y (keys_of a ++ keys_of b)); auto.
    + intros k Hk. rewrite in_app_iff in Hk.
      etransitivity; [apply Px|]. symmetry. etransitivity; [apply Py|].
      rewrite (group_without k a), (group_without k b) by tauto. easy.
    + intros k. rewrite (answer_unordered k _ _ (y k) (Px k)), (answer_unordered k _ _ (y k) (Py k)).
      apply Private; [specialize (L k a) | specialize (L k b)]; lia.
  - apply Rmult_le_compat_r; [now apply product_nonneg|]. apply exp_le.
    apply Rmult_le_compat_r; [easy|]. apply le_INR.
    pose proof (keys_of_rows a). pose proof (keys_of_rows b). rewrite app_length.
    subst persons. cbn. destruct (length a), (length b); lia.
Qed.

End Groups.

(** * Persons of m rows: the row profile at m l *)

Section Persons.
Open Scope nat_scope.

Definition strided (m : nat) (p : profile) : profile :=
  Profile (value p) (fun l => upper p (m * l)) (fun l => lower p (m * l)).

(** Tables that a path of at most n single rows joins. *)
Inductive path {A} (row : list A -> list A -> Prop) : nat -> list A -> list A -> Prop :=
| path_none xs ys n : Permutation xs ys -> path row n xs ys
| path_step xs ys zs n : row xs ys -> path row n ys zs -> path row (S n) xs zs.

(** Single rows whose tables hold rows of one kind only, such as integers between the limits. *)
Definition of_kind {A} (P : A -> Prop) (row : list A -> list A -> Prop) (xs ys : list A) : Prop :=
  row xs ys /\ (forall x, In x xs -> P x) /\ (forall y, In y ys -> P y).

Lemma path_weaken {A} (row row' : list A -> list A -> Prop) n xs ys :
  (forall t u, row t u -> row' t u) -> path row n xs ys -> path row' n xs ys.
Proof. intros H. induction 1; [now apply path_none | eapply path_step; eauto]. Qed.

(** A person more or less. *)
Lemma person_added {A} (P : A -> Prop) (a rest ys : list A) m :
  (forall x, In x (a ++ rest) -> P x) ->
  length a <= m -> Permutation ys (a ++ rest) -> path (of_kind P add_remove) m rest ys.
Proof.
  revert rest ys m. induction a as [|u a IH]; intros rest ys m K L H.
  - apply path_none. now symmetry.
  - destruct m as [|m]; cbn in L; [lia|]. apply path_step with (u :: rest).
    + split; [left; now exists u|].
      split; intros x Hx; apply K; cbn; rewrite in_app_iff; cbn in Hx; tauto.
    + apply IH; [|lia|].
      * intros x Hx. apply K. cbn. rewrite in_app_iff in *. cbn in Hx. tauto.
      * etransitivity; [exact H|]. cbn. apply Permutation_middle.
Qed.

Lemma person_removed {A} (P : A -> Prop) (a rest xs : list A) m :
  (forall x, In x (a ++ rest) -> P x) ->
  length a <= m -> Permutation xs (a ++ rest) -> path (of_kind P add_remove) m xs rest.
Proof.
  revert xs m. induction a as [|u a IH]; intros xs m K L H.
  - now apply path_none.
  - destruct m as [|m]; cbn in L; [lia|]. apply path_step with (a ++ rest).
    + split; [right; exists u; exact H|].
      split; intros x Hx; apply K; [|now right].
      apply (Permutation_in x H) in Hx. exact Hx.
    + apply IH; [|lia | easy]. intros x Hx. apply K. now right.
Qed.

(** A person exchanged for another: at edit distance at most m. *)
Theorem person_replaced {A} (P : A -> Prop) (a b rest xs ys : list A) m :
  (forall x, In x (a ++ rest) -> P x) -> (forall x, In x (b ++ rest) -> P x) ->
  length a <= m -> length b <= m -> Permutation xs (a ++ rest) -> Permutation ys (b ++ rest) ->
  path (of_kind P edit) m xs ys.
Proof.
  assert (forall n (t u : list A), path (of_kind P add_remove) n t u ->
    path (of_kind P edit) n t u) as W.
  { intros n t u. apply path_weaken. intros v w [H K]. split; [now right | easy]. }
  revert b rest xs ys m. induction a as [|u a IH]; intros b rest xs ys m Ka Kb La Lb H J.
  - apply W, person_added with b; [|easy|].
    + intros x Hx. apply in_app_iff in Hx. destruct Hx as [Hx|Hx].
      * apply Kb, in_app_iff. now left.
      * apply (Permutation_in x H) in Hx. now apply Ka.
    + etransitivity; [exact J|]. apply Permutation_app_head. now symmetry.
  - destruct b as [|v b].
    + apply W, person_removed with (u :: a); [|easy|].
      * intros x Hx. apply in_app_iff in Hx. destruct Hx as [Hx|Hx].
        -- apply Ka, in_app_iff. now left.
        -- apply (Permutation_in x J) in Hx. now apply Kb.
      * etransitivity; [exact H|]. apply Permutation_app_head. now symmetry.
    + destruct m as [|m]; cbn in La, Lb; [lia|]. apply path_step with (v :: a ++ rest).
      * split; [left; exists u, v, (a ++ rest); split; [exact H | easy]|].
        split; intros x Hx.
        -- apply (Permutation_in x H) in Hx. now apply Ka.
        -- destruct Hx as [<-|Hx]; [apply Kb; now left | apply Ka; now right].
      * apply IH with b (v :: rest); try lia; try apply Permutation_middle.
        -- intros x Hx. apply in_app_iff in Hx. destruct Hx as [Hx|[<-|Hx]].
           ++ apply Ka. right. apply in_app_iff. now left.
           ++ apply Kb. now left.
           ++ apply Ka. right. apply in_app_iff. now right.
        -- intros x Hx. apply Kb. cbn. rewrite in_app_iff in *. cbn in Hx. tauto.
        -- etransitivity; [exact J|]. apply Permutation_middle.
Qed.

Lemma apart_more k p q : apart k p q ->
  (forall l, (upper p l <= upper p (S l) /\ lower p (S l) <= lower p l)%Z) ->
  forall j, k <= j -> apart j p q.
Proof.
  intros H M j Hj. induction Hj as [|j _ IH]; [easy|].
  intros l. destruct (IH l). rewrite Nat.add_succ_r. destruct (M (l + j)). lia.
Qed.

Lemma apart_trans j k p q s : apart j p q -> apart k q s -> apart (k + j) p s.
Proof.
  intros H K l. destruct (K l). destruct (H (l + k)).
  replace (l + (k + j)) with (l + k + j) by lia. lia.
Qed.

(** The neighbour law of rows along a path of tables that are all [inside]. *)
Lemma path_apart {A} (inside : list A -> Prop) (row : list A -> list A -> Prop)
  (profile_of : list A -> profile) :
  (forall t u, inside t -> inside u -> Permutation t u -> apart 0 (profile_of t) (profile_of u)) ->
  (forall t u, row t u -> inside u /\ apart 1 (profile_of t) (profile_of u)) ->
  (forall t l, inside t -> (upper (profile_of t) l <= upper (profile_of t) (S l) /\
                            lower (profile_of t) (S l) <= lower (profile_of t) l)%Z) ->
  forall n xs ys, path row n xs ys -> inside xs -> inside ys ->
  apart n (profile_of xs) (profile_of ys).
Proof.
  intros Same Law Widen n xs ys H. induction H as [xs ys n P | xs ys zs n R _ IH]; intros X Y.
  - apply apart_more with 0; auto; lia.
  - destruct (Law xs ys R). replace (S n) with (n + 1) by lia.
    apply apart_trans with (profile_of ys); auto.
Qed.

(** ... is the neighbour law of persons for the strided profile. *)
Theorem strided_neighbour_law m p q : apart m p q -> apart 1 (strided m p) (strided m q).
Proof.
  intros H l. cbn [upper lower strided]. destruct (H (m * l)).
  replace (m * (l + 1)) with (m * l + m) by lia. easy.
Qed.

Theorem strided_valid r m p : valid r p -> valid r (strided m p).
Proof.
  intros []. assert (forall k l, (upper p l <= upper p (l + k) /\ lower p (l + k) <= lower p l)%Z) as M.
  { induction k as [|k IH]; intros l; [rewrite Nat.add_0_r; lia|].
    rewrite Nat.add_succ_r. destruct (IH l).
    specialize (upper_widens (l + k)). specialize (lower_widens (l + k)). lia. }
  constructor; cbn [value upper lower strided]; rewrite ?Nat.mul_0_r; auto;
    intros l; replace (m * S l) with (m * l + m) by lia; apply M.
Qed.

(** Levels of rows at epsilon, read at m l, protect persons at the same epsilon. *)
Theorem strided_private epsilon sloped r m p q :
  positive epsilon -> valid r p -> valid r q -> apart m p q -> apart m q p ->
  close (val epsilon) (points r)
    (levels_law epsilon sloped r (strided m p)) (levels_law epsilon sloped r (strided m q)) /\
  bounded_range (val epsilon) (points r)
    (levels_law epsilon sloped r (strided m p)) (levels_law epsilon sloped r (strided m q)).
Proof.
  intros. apply levels_law_private; auto using strided_valid.
  split; now apply strided_neighbour_law.
Qed.

(** Quantiles of persons, from the rows to the answer: the row profile of edit at m l where persons
    are exchanged, the exact one of add-remove where a person comes or goes. *)
Section Quantiles.
Variable lim : limits.
Hypothesis limits_ordered : (least lim <= most lim)%Z.
Variable q : ratio.
Hypothesis q_order : order q.

Let inside_limits (x : Z) : Prop := (least lim <= x <= most lim)%Z.

Lemma permuted_rank xs ys i :
  within_limits lim xs -> within_limits lim ys -> Permutation xs ys ->
  (at_rank lim xs i <= at_rank lim ys i)%Z.
Proof.
  intros X Y P. apply at_rank_compare; auto.
  intros t. now rewrite (count_permutation t _ _ P).
Qed.

Lemma edit_profile_permuted xs ys :
  within_limits lim xs -> within_limits lim ys -> Permutation xs ys ->
  apart 0 (edit_profile lim q xs) (edit_profile lim q ys).
Proof.
  intros X Y P l. rewrite Nat.add_0_r. cbn [upper lower edit_profile]. unfold rank.
  rewrite (size_permutation _ _ P). pose proof (Permutation_sym P).
  destruct (_ && _), (_ && _); split; try lia; now apply permuted_rank.
Qed.

Lemma add_remove_profile_permuted xs ys :
  within_limits lim xs -> within_limits lim ys -> Permutation xs ys ->
  apart 0 (add_remove_profile lim q xs) (add_remove_profile lim q ys).
Proof.
  intros X Y P l. rewrite Nat.add_0_r. cbn [upper lower add_remove_profile].
  unfold upper_add_remove, lower_add_remove, rank.
  rewrite (size_permutation _ _ P). pose proof (Permutation_sym P) as P'.
  assert (forall i, at_rank lim ys i <= at_rank lim xs i)%Z as A by (intros; now apply permuted_rank).
  assert (forall i, at_rank lim xs i <= at_rank lim ys i)%Z as B by (intros; now apply permuted_rank).
  repeat match goal with |- context [if ?c then _ else _] => destruct c end; split;
    try lia; try apply A; try apply B; try apply Z.max_le_compat_r; try apply Z.min_le_compat_r; auto.
Qed.

Variable d : nat.
Variable w : Z.
Hypothesis w_public : (0 <= w)%Z.
Let r := Public (least lim) (most lim) d w.

Theorem quantile_of_exchanged_persons epsilon sloped m a b rest xs ys :
  positive epsilon ->
  within_limits lim (a ++ rest) -> within_limits lim (b ++ rest) ->
  length a <= m -> length b <= m -> Permutation xs (a ++ rest) -> Permutation ys (b ++ rest) ->
  let law t := levels_law epsilon sloped r (strided m (edit_profile lim q t)) in
  close (val epsilon) (points r) (law xs) (law ys) /\
  bounded_range (val epsilon) (points r) (law xs) (law ys).
Proof.
  intros He Ka Kb La Lb H J law.
  assert (within_limits lim xs) as X by (intros x Hx; now apply Ka, (Permutation_in x H)).
  assert (within_limits lim ys) as Y by (intros x Hx; now apply Kb, (Permutation_in x J)).
  assert (forall t u, path (of_kind inside_limits edit) m t u ->
    within_limits lim t -> within_limits lim u ->
    apart m (edit_profile lim q t) (edit_profile lim q u)) as G.
  { intros t u. apply path_apart; auto using edit_profile_permuted.
    - intros v z [E [V Z]]. split; [exact Z | now apply edit_neighbour_law].
    - intros v l V. destruct (edit_profile_valid lim limits_ordered q q_order d w w_public v V). auto. }
  apply strided_private; auto; try now apply edit_profile_valid.
  - apply G; auto. now apply person_replaced with a b rest.
  - apply G; auto. now apply person_replaced with b a rest.
Qed.

Theorem quantile_of_added_persons epsilon sloped m a rest xs ys :
  positive epsilon -> within_limits lim (a ++ rest) -> length a <= m ->
  Permutation xs rest -> Permutation ys (a ++ rest) ->
  let law t := levels_law epsilon sloped r (strided m (add_remove_profile lim q t)) in
  (close (val epsilon) (points r) (law xs) (law ys) /\
   bounded_range (val epsilon) (points r) (law xs) (law ys)) /\
  (close (val epsilon) (points r) (law ys) (law xs) /\
   bounded_range (val epsilon) (points r) (law ys) (law xs)).
Proof.
  intros He Ka La H J law.
  assert (within_limits lim ys) as Y by (intros x Hx; now apply Ka, (Permutation_in x J)).
  assert (within_limits lim xs) as X.
  { intros x Hx. apply Ka, in_app_iff. right. now apply (Permutation_in x H). }
  assert (forall t u, path (of_kind inside_limits add_remove) m t u ->
    within_limits lim t -> within_limits lim u ->
    apart m (add_remove_profile lim q t) (add_remove_profile lim q u)) as G.
  { intros t u. apply path_apart; auto using add_remove_profile_permuted.
    - intros v z [E [V Z]]. split; [exact Z | now apply add_remove_neighbour_law].
    - intros v l V.
      destruct (add_remove_profile_valid lim limits_ordered q q_order d w w_public v V). auto. }
  assert (Permutation ys (a ++ xs)) as J'.
  { etransitivity; [exact J|]. apply Permutation_app_head. now symmetry. }
  assert (forall x, In x (a ++ xs) -> inside_limits x) as K.
  { intros x Hx. apply Y, (Permutation_in x (Permutation_sym J')), Hx. }
  assert (apart m (add_remove_profile lim q xs) (add_remove_profile lim q ys))
    by (apply G; auto; now apply person_added with a).
  assert (apart m (add_remove_profile lim q ys) (add_remove_profile lim q xs))
    by (apply G; auto; now apply person_removed with a).
  split; apply strided_private; auto; now apply add_remove_profile_valid.
Qed.

End Quantiles.

(** Whatever has no levels to stride over pays epsilon for every row of the path. *)
Theorem rows_add_up {A Out} (row : list A -> list A -> Prop) (answer : list A -> Out -> R)
  (epsilon : R) :
  (0 <= epsilon)%R ->
  (forall t y, (0 <= answer t y)%R) ->
  (forall t u y, Permutation t u -> answer t y = answer u y) ->
  (forall t u y, row t u -> (answer t y <= exp epsilon * answer u y)%R) ->
  forall n xs ys y, path row n xs ys -> (answer xs y <= exp (INR n * epsilon) * answer ys y)%R.
Proof.
  intros He Nonneg Same Private n xs ys y H.
  induction H as [xs ys n P | xs ys zs n R _ IH].
  - rewrite (Same xs ys y P). specialize (Nonneg ys y). pose proof (pos_INR n).
    assert (1 <= exp (INR n * epsilon))%R by (rewrite <- exp_0; apply exp_le; nra). nra.
  - specialize (Private xs ys y R). rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus.
    pose proof (exp_pos epsilon).
    replace (exp (INR n * epsilon) * exp epsilon * answer zs y)%R
      with (exp epsilon * (exp (INR n * epsilon) * answer zs y))%R by ring.
    eapply Rle_trans; [exact Private|]. apply Rmult_le_compat_l; [lra | exact IH].
Qed.

End Persons.
