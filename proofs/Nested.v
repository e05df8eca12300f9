(** Nested intervals about a released value: the walk that finds one is private, and it holds the
    statistic of the data unless the noise of one question is large.

    Model of [NestedLaw] in [laws/nested.py] ([at_least], [height], [_answer]); intervals are pairs of
    lattice points, from the widest that is asked to the narrowest. *)

From Coq Require Import ZArith List Reals Lra Lia Bool.
From LeastNoise Require Import Law Score SparseVector Dyadic.
Import ListNotations.
Open Scope Z_scope.

(** * The model *)

Definition interval : Type := Z * Z.

(** Both bounds of a level: the ends of the range beyond the depth. *)
Definition bounds_of (r : public) (p : profile) (l : nat) : Z * Z :=
  if Nat.ltb (depth r) l then (low r, high r) else (lower p l, upper p l).

(** [at_least]: whether c is [count] or more. *)
Definition at_least (r : public) (p : profile) (i : interval) (count : Z) : bool :=
  let (least, most) := bounds_of r p (Z.to_nat (if 0 <? count then count - 1 else 1 - count)) in
  if 0 <? count then (fst i <=? least) && (most <=? snd i)
  else (fst i <=? most) && (least <=? snd i).

(** c: the largest count from -depth to depth + 1 up to which all hold. *)
Definition leave (r : public) (p : profile) (i : interval) : Z :=
  Z.of_nat (first_level (fun k => negb (at_least r p i (Z.of_nat (S k) - Z.of_nat (depth r))))
    0 (2 * depth r + 1)) - Z.of_nat (depth r).

(** A question fires where V - c >= T - margin. *)
Definition nested_height (r : public) (p : profile) (margin : Z) (i : interval) : Z :=
  leave r p i - margin.

(** [_answer]: the interval before the one that fires; the whole range before the first. *)
Fixpoint nested_answer (outer : interval) (intervals : list interval) (fired : option nat)
  : interval :=
  match intervals, fired with
  | i :: rest, Some (S k) => nested_answer i rest (Some k)
  | i :: rest, None => nested_answer i rest None
  | _, _ => outer
  end.

(** * Privacy *)

(** What the law reads: bounds that widen, within the range. *)
Definition held_in (r : public) (p : profile) : Prop :=
  upper p 0 = value p /\ lower p 0 = value p /\ (forall l, low r <= lower p l /\ upper p l <= high r)
  /\ low r <= value p <= high r.

Lemma bounds_shift r p q l : held_in r p -> held_in r q -> neighbours p q ->
  fst (bounds_of r p (S l)) <= fst (bounds_of r q l) /\
  snd (bounds_of r q l) <= snd (bounds_of r p (S l)).
Proof.
  intros P Q [H _]. destruct P as (_ & _ & P & _), Q as (_ & _ & Q & _). unfold bounds_of.
  destruct (H l) as [U L]. replace (l + 1)%nat with (S l) in * by lia.
  destruct (P (S l)), (Q l).
  destruct (Nat.ltb_spec (depth r) l), (Nat.ltb_spec (depth r) (S l)); cbn; lia.
Qed.

Lemma first_level_moves f g : forall n l,
  (forall k, (l <= k)%nat -> f k = true -> g (S k) = true) ->
  (first_level g l n <= first_level f l n + 1)%nat.
Proof.
  intros n l H. destruct (first_level_spec f n l) as (A & B & C).
  destruct (first_level_spec g n l) as (A' & B' & C').
  set (a := first_level f l n) in *. set (b := first_level g l n) in *.
  destruct (le_gt_dec b (a + 1)) as [|G]; [easy|].
  specialize (C ltac:(lia)). specialize (H a ltac:(lia) C). rewrite (B' (S a) ltac:(lia)) in H. easy.
Qed.

(** One record less holds wherever one more did. *)
Lemma at_least_moves r p q i count : held_in r p -> held_in r q -> neighbours p q ->
  at_least r q i count = true -> at_least r p i (count - 1) = true.
Proof.
  intros P Q N. pose proof (fun l => bounds_shift r p q l P Q N) as S.
  pose proof (fun l => bounds_shift r q p l Q P ltac:(destruct N; split; easy)) as S'.
  unfold at_least. destruct (Z.ltb_spec 0 count) as [A|A]; destruct (Z.ltb_spec 0 (count - 1)) as [B|B];
    try lia.
  - specialize (S' (Z.to_nat (count - 1 - 1))).
    replace (Datatypes.S (Z.to_nat (count - 1 - 1))) with (Z.to_nat (count - 1)) in S' by lia.
    destruct (bounds_of r q _) as [a b], (bounds_of r p _) as [c d]. cbn in S'.
    rewrite !andb_true_iff, !Z.leb_le. lia.
  - replace count with 1 by lia. cbn [Z.sub Z.to_nat]. specialize (S O).
    replace (Z.to_nat (1 - (1 - 1))) with 1%nat by lia.
    change (Z.to_nat (1 - 1)) with O. pose proof (S) as T. unfold bounds_of at 2 3 in T.
    destruct (Nat.ltb_spec (depth r) 0) as [F|_]; [lia|].
    destruct Q as (Q1 & Q2 & _). cbn [fst snd] in T. rewrite Q1, Q2 in T.
    replace (bounds_of r q 0) with (value q, value q)
      by (unfold bounds_of; destruct (Nat.ltb_spec (depth r) 0); [lia | now rewrite Q1, Q2]).
    change (1 - (1 - 1)) with 1. change (Z.to_nat 1) with 1%nat.
    destruct (bounds_of r p 1) as [a b]. cbn in T. rewrite !andb_true_iff, !Z.leb_le. lia.
  - specialize (S (Z.to_nat (1 - count))).
    replace (Datatypes.S (Z.to_nat (1 - count))) with (Z.to_nat (1 - (count - 1))) in S by lia.
    destruct (bounds_of r q _) as [a b], (bounds_of r p _) as [c d]. cbn in S.
    rewrite !andb_true_iff, !Z.leb_le. lia.
Qed.

(** c moves by at most one: condition 4 of with-interval.md. *)
Theorem leave_moves_by_at_most_one r p q i : held_in r p -> held_in r q -> neighbours p q ->
  leave r p i - 1 <= leave r q i <= leave r p i + 1.
Proof.
  assert (forall p q, held_in r p -> held_in r q -> neighbours p q -> leave r q i <= leave r p i + 1) as G.
  { clear. intros p q P Q N. unfold leave.
    enough (first_level (fun k => negb (at_least r q i (Z.of_nat (S k) - Z.of_nat (depth r)))) 0
        (2 * depth r + 1)
      <= first_level (fun k => negb (at_least r p i (Z.of_nat (S k) - Z.of_nat (depth r)))) 0
        (2 * depth r + 1) + 1)%nat by lia.
    apply first_level_moves. intros k _. cbv beta. rewrite !negb_true_iff. intros F.
    destruct (at_least r q i (Z.of_nat (S (S k)) - Z.of_nat (depth r))) eqn:E; [|easy].
    apply (at_least_moves r p q) in E; auto.
    replace (Z.of_nat (S (S k)) - Z.of_nat (depth r) - 1) with (Z.of_nat (S k) - Z.of_nat (depth r)) in E
      by lia. rewrite E in F. discriminate. }
  intros P Q N. pose proof (G p q P Q N). pose proof (G q p Q P ltac:(destruct N; split; easy)). lia.
Qed.

(** Statement 2 of with-interval.md: the walk costs e1 + 2 e2. *)
Theorem nested_private e1 e2 r margin intervals p q index a b :
  (0 <= e1)%R -> (0 <= e2)%R -> held_in r p -> held_in r q -> neighbours p q ->
  probability e1 e2 (asked (nested_height r p margin) intervals index) a ->
  probability e1 e2 (asked (nested_height r q margin) intervals index) b ->
  (a <= exp (e1 + 2 * e2) * b)%R.
Proof.
  intros H1 H2 P Q N A B. replace (2 * e2)%R with (2 * INR 1 * e2)%R by (cbn; ring).
  refine (sparse_vector_private e1 e2 1 _ _ a b H1 H2 _ (asked_positives _ _ _) A B).
  apply asked_forall2. intros i f _. cbn. split; [easy|].
  pose proof (leave_moves_by_at_most_one r p q i P Q N). unfold nested_height. lia.
Qed.

(** * Coverage *)

Definition holds (i : interval) (y : Z) : bool := (fst i <=? y) && (y <=? snd i).

(** Where the statistic lies outside, no change is needed to leave. *)
Lemma outside_leaves_at_once r p i : held_in r p -> holds i (value p) = false -> leave r p i <= 0.
Proof.
  intros (P1 & P2 & _) H. unfold leave.
  set (f := fun k => negb (at_least r p i (Z.of_nat (S k) - Z.of_nat (depth r)))).
  destruct (first_level_spec f (2 * depth r + 1) 0) as (A & B & _).
  set (found := first_level f 0 (2 * depth r + 1)) in *.
  destruct (le_gt_dec found (depth r)) as [|G]; [lia|]. specialize (B (depth r) ltac:(lia)).
  unfold f in B. rewrite negb_false_iff in B.
  replace (Z.of_nat (S (depth r)) - Z.of_nat (depth r)) with 1 in B by lia.
  assert (at_least r p i 1 = holds i (value p)) as E; [|congruence].
  unfold at_least, holds, bounds_of. change (Z.to_nat (if 0 <? 1 then 1 - 1 else 1 - 1)) with O.
  destruct (Nat.ltb_spec (depth r) 0); [lia | now rewrite P1, P2].
Qed.

Fixpoint nested (outer : interval) (intervals : list interval) : Prop :=
  match intervals with
  | [] => True
  | i :: rest => fst outer <= fst i /\ snd i <= snd outer /\ nested i rest
  end.

(** The first question that fires, by the noise of each. *)
Fixpoint first_to_fire (heights noise : list Z) (threshold : Z) : option nat :=
  match heights, noise with
  | h :: heights, v :: noise =>
      if threshold + h <=? v then Some O
      else option_map S (first_to_fire heights noise threshold)
  | _, _ => None
  end.

(** The widest interval that does not hold the statistic: it hangs on the data and the intervals,
    never on the noise of the walk. *)
Fixpoint first_outside (y : Z) (intervals : list interval) : nat :=
  match intervals with
  | [] => O
  | i :: rest => if holds i y then S (first_outside y rest) else O
  end.

Lemma nested_outside y : forall intervals outer, nested outer intervals ->
  holds outer y = false -> forall i, In i intervals -> holds i y = false.
Proof.
  induction intervals as [|j rest IH]; intros outer N H i Hi; [easy|].
  destruct N as (A & B & N).
  assert (holds j y = false) as Hj.
  { unfold holds in *. rewrite andb_false_iff, !Z.leb_gt in *. lia. }
  destruct Hi as [<-|Hi]; [easy | now apply (IH j N Hj)].
Qed.

(** If the answer misses the statistic, one question, named before the noise is drawn, stayed quiet
    though its count is at most 0: V - T < - margin. *)
Theorem nested_covers r p margin whole intervals noise threshold :
  held_in r p -> holds whole (value p) = true -> nested whole intervals ->
  length noise = length intervals ->
  let fired := first_to_fire (map (nested_height r p margin) intervals) noise threshold in
  holds (nested_answer whole intervals fired) (value p) = false ->
  let quiet := first_outside (value p) intervals in
  (quiet < length intervals)%nat /\ nth quiet noise 0 - threshold < - margin.
Proof.
  intros P W N L. set (y := value p) in *. cbv zeta. revert whole W N noise L.
  induction intervals as [|i rest IH]; intros whole W N noise L; [cbn; congruence|].
  destruct noise as [|v noise]; [easy|]. cbn [length] in L. injection L as L.
  destruct N as (_ & _ & N). cbn [map first_to_fire first_outside].
  destruct (holds i y) eqn:Hi.
  - intros M. enough ((first_outside y rest < length rest)%nat /\
      nth (first_outside y rest) noise 0 - threshold < - margin) as [A B] by (cbn; split; [lia | easy]).
    apply (IH i Hi N noise L). destruct (Z.leb_spec (threshold + nested_height r p margin i) v) as [F|F].
    + cbn in M. congruence.
    + destruct (first_to_fire _ noise threshold); exact M.
  - intros M. cbn [length nth]. split; [lia|].
    destruct (Z.leb_spec (threshold + nested_height r p margin i) v) as [F|F]; [cbn in M; congruence|].
    pose proof (outside_leaves_at_once r p i P Hi). unfold nested_height in F. lia.
Qed.

(** How likely that is: P(T - V >= m), of a threshold's noise T and a question's noise V. *)
Theorem chance_of_a_miss e1 e2 m : (0 < e1)%R -> (0 < e2)%R ->
  infinite_sum (fun v => (geometric e2 v * exp (- (e1 * INR (v + m))))%R)
    (exp (- (e1 * INR m)) * (1 - exp (- e2)) / (1 - exp (- (e1 + e2))))%R.
Proof.
  intros H1 H2. set (s := (1 - exp (- (e1 + e2)))%R).
  assert (0 < exp (- (e1 + e2)))%R by apply exp_pos.
  assert (exp (- (e1 + e2)) < 1)%R by (rewrite <- exp_0; apply exp_increasing; lra).
  pose proof (geometric_series (exp (- (e1 * INR m)) * (1 - exp (- e2))) s
    ltac:(unfold s; lra) ltac:(unfold s; lra)) as G.
  intros eps He. destruct (G eps He) as [n Hn]. exists n. intros k Hk. specialize (Hn k Hk).
  rewrite (sum_eq _ (fun i => (1 - s) ^ i * (exp (- (e1 * INR m)) * (1 - exp (- e2))))%R); [exact Hn|].
  intros v _. unfold geometric, s. replace (1 - (1 - exp (- (e1 + e2))))%R with (exp (- (e1 + e2))) by ring.
  assert (forall x n, exp (- x) ^ n = exp (- (x * INR n)))%R as P.
  { clear. intros x n. induction n as [|n IH]; [cbn; now rewrite Rmult_0_r, Ropp_0, exp_0|].
    rewrite S_INR. cbn [pow]. rewrite IH, <- exp_plus. f_equal. ring. }
  rewrite P, plus_INR.
  replace (- (e1 * (INR v + INR m)))%R with (- (e1 * INR v) + - (e1 * INR m))%R by ring.
  replace (- ((e1 + e2) * INR v))%R with (- (e2 * INR v) + - (e1 * INR v))%R by ring.
  rewrite !exp_plus. ring.
Qed.
