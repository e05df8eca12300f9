(** Bounds that are the extremes of a ball: over all data sets that l changes reach, the largest and
    the smallest value of the statistic.

    It is what variances, means and most other statistics have for bounds, as their own pages show;
    whatever the statistic and the relation, such bounds obey the neighbour law. *)

From Coq Require Import ZArith List Lia.
From LeastNoise Require Import Score Grid.
Open Scope Z_scope.

(** * The model *)

Section Ball.
Context {X : Type}.
Variable neighbour : X -> X -> Prop.
Variable f : X -> ratio.

(** At most l changes. *)
Inductive within_changes : nat -> X -> X -> Prop :=
| unchanged l x : within_changes l x x
| change l x y z : neighbour x y -> within_changes l y z -> within_changes (S l) x z.

(** No value in the ball lies beyond the bounds, and each bound is the value of a data set in it. *)
Record extremes (x : X) (p : raw) : Prop := {
  extremes_value : raw_value p = f x;
  extremes_hold : forall l z, within_changes l x z ->
    le (raw_lower p l) (f z) /\ le (f z) (raw_upper p l);
  extremes_upper : forall l, exists z, within_changes l x z /\ f z = raw_upper p l;
  extremes_lower : forall l, exists z, within_changes l x z /\ f z = raw_lower p l;
}.

(** * The neighbour law *)

Theorem extremes_apart x y p q : neighbour x y -> extremes x p -> extremes y q -> raw_apart p q.
Proof.
  intros N P Q l. rewrite Nat.add_1_r. split.
  - destruct (extremes_upper y q Q l) as (z & W & <-).
    apply (extremes_hold x p P). now apply change with y.
  - destruct (extremes_lower y q Q l) as (z & W & <-).
    apply (extremes_hold x p P). now apply change with y.
Qed.

Lemma within_more l x z : within_changes l x z -> within_changes (S l) x z.
Proof. induction 1; [constructor | now apply change with y]. Qed.

Lemma within_none x z : within_changes 0 x z -> z = x.
Proof. intros H. now inversion H. Qed.

(** ... and start at the value and widen, as [Grid] asks. *)
Theorem extremes_raw_valid x p :
  (0 < snd (raw_value p) /\ 0 < snd (raw_low p) /\ 0 < snd (raw_high p) /\
    forall l, 0 < snd (raw_upper p l) /\ 0 < snd (raw_lower p l)) ->
  extremes x p -> raw_valid p.
Proof.
  intros D P. constructor; [exact D | | | |].
  - destruct (extremes_upper x p P O) as (z & W & <-). rewrite (within_none x z W).
    symmetry. apply (extremes_value x p P).
  - destruct (extremes_lower x p P O) as (z & W & <-). rewrite (within_none x z W).
    symmetry. apply (extremes_value x p P).
  - intros l. destruct (extremes_upper x p P l) as (z & W & <-).
    now apply (extremes_hold x p P), within_more.
  - intros l. destruct (extremes_lower x p P l) as (z & W & <-).
    now apply (extremes_hold x p P), within_more.
Qed.

(** On the output lattice, for a relation that is symmetric. *)
Theorem extremes_neighbours resolution x y p q :
  (forall u v, neighbour u v -> neighbour v u) -> positive resolution ->
  raw_valid p -> raw_valid q -> raw_low q = raw_low p -> raw_high q = raw_high p ->
  lowest resolution p <= highest resolution p ->
  neighbour x y -> extremes x p -> extremes y q ->
  neighbours (on_grid resolution p) (on_grid resolution q).
Proof.
  intros S R Vp Vq L H Range N P Q.
  pose proof (extremes_apart x y p q N P Q) as A. pose proof (extremes_apart y x q p (S _ _ N) Q P) as B.
  split.
  - apply on_grid_apart; auto.
  - apply on_grid_apart; auto. unfold lowest, highest in *. now rewrite L, H.
Qed.

End Ball.

(** Bounds of two kinds: the tight ones up to a public level, and beyond it wider ones that obey the
    law themselves. *)
Definition mixed (level : nat) (tight wide : raw) : raw :=
  Raw (raw_value tight)
    (fun l => if Nat.leb l level then raw_upper tight l else raw_upper wide l)
    (fun l => if Nat.leb l level then raw_lower tight l else raw_lower wide l)
    (raw_low tight) (raw_high tight).

Lemma le_trans x y z : 0 < snd x -> 0 < snd y -> 0 < snd z -> le x y -> le y z -> le x z.
Proof.
  unfold le. intros X Y Z A B. apply (Z.mul_le_mono_pos_r _ _ (snd y) Y).
  apply Z.le_trans with (fst y * snd x * snd z); nia.
Qed.

Theorem mixed_apart level p wide_p q wide_q :
  (forall l, 0 < snd (raw_upper p l) /\ 0 < snd (raw_lower p l) /\
    0 < snd (raw_upper wide_p l) /\ 0 < snd (raw_lower wide_p l) /\
    0 < snd (raw_upper q l) /\ 0 < snd (raw_lower q l)) ->
  (forall l, le (raw_upper p l) (raw_upper wide_p l) /\ le (raw_lower wide_p l) (raw_lower p l)) ->
  raw_apart p q -> raw_apart wide_p wide_q ->
  raw_apart (mixed level p wide_p) (mixed level q wide_q).
Proof.
  intros D W A B l. cbn [raw_upper raw_lower mixed].
  destruct (A l) as [A1 A2], (B l) as [B1 B2], (W (l + 1)%nat) as [W1 W2].
  destruct (D l) as (_ & _ & _ & _ & Q1 & Q2).
  destruct (D (l + 1)%nat) as (P1 & P2 & E1 & E2 & _).
  destruct (Nat.leb_spec l level), (Nat.leb_spec (l + 1) level); try lia; try (now split).
  split; [apply le_trans with (raw_upper p (l + 1)) | apply le_trans with (raw_lower p (l + 1))]; auto.
Qed.
