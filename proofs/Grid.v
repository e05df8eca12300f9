(** One monotone rounding of the value and of every bound keeps the neighbour law.

    Model of [profiles/grid.py] ([on_grid]) for a profile with a finite range: rationals go to the
    lattice by floor(v / resolution + 1/2), the range ends inward, and everything is clamped. *)

From Coq Require Import ZArith Lia.
From LeastNoise Require Import Score.
Open Scope Z_scope.

(** * The model *)

(** A profile in its own units: pairs (numerator, denominator). *)
Record raw := Raw {
  raw_value : ratio; raw_upper : nat -> ratio; raw_lower : nat -> ratio;
  raw_low : ratio; raw_high : ratio;
}.

(** floor(v / resolution + 1/2), in the code's integers. *)
Definition rounded (resolution v : ratio) : Z :=
  let num := fst resolution in
  let den := snd resolution in
  (2 * fst v * den + num * snd v) / (2 * num * snd v).

Definition floored (resolution v : ratio) : Z := (fst v * snd resolution) / (fst resolution * snd v).
Definition ceiled (resolution v : ratio) : Z := - (- (fst v * snd resolution) / (fst resolution * snd v)).

Definition lowest (resolution : ratio) (p : raw) : Z := ceiled resolution (raw_low p).
Definition highest (resolution : ratio) (p : raw) : Z := floored resolution (raw_high p).

Definition centre (resolution : ratio) (p : raw) : Z :=
  Z.min (highest resolution p) (Z.max (lowest resolution p) (rounded resolution (raw_value p))).

Definition on_grid (resolution : ratio) (p : raw) : profile :=
  let c := centre resolution p in
  Profile c
    (fun l => Z.max c (Z.min (highest resolution p) (rounded resolution (raw_upper p l))))
    (fun l => Z.min c (Z.max (lowest resolution p) (rounded resolution (raw_lower p l)))).

(** * Rationals by their pairs *)

Definition le (x y : ratio) : Prop := fst x * snd y <= fst y * snd x.

(** What [Profile] asks of a statistic. *)
Record raw_valid (p : raw) : Prop := {
  raw_denominators : 0 < snd (raw_value p) /\ 0 < snd (raw_low p) /\ 0 < snd (raw_high p) /\
    forall l, 0 < snd (raw_upper p l) /\ 0 < snd (raw_lower p l);
  raw_upper_starts : raw_upper p 0 = raw_value p;
  raw_lower_starts : raw_lower p 0 = raw_value p;
  raw_upper_widens : forall l, le (raw_upper p l) (raw_upper p (S l));
  raw_lower_widens : forall l, le (raw_lower p (S l)) (raw_lower p l);
}.

Definition raw_apart (p q : raw) : Prop := forall l,
  le (raw_upper q l) (raw_upper p (l + 1)) /\ le (raw_lower p (l + 1)) (raw_lower q l).

(** The rounding is monotone. *)
Theorem rounded_monotone resolution x y :
  positive resolution -> 0 < snd x -> 0 < snd y -> le x y ->
  rounded resolution x <= rounded resolution y.
Proof.
  intros [Hn Hd] Hx Hy H. unfold le in H. unfold rounded.
  set (num := fst resolution) in *. set (den := snd resolution) in *.
  set (a := 2 * fst x * den + num * snd x). set (b := 2 * num * snd x).
  set (c := 2 * fst y * den + num * snd y). set (d := 2 * num * snd y).
  assert (0 < b) as Hb by (unfold b; nia). assert (0 < d) as Hd' by (unfold d; nia).
  apply Z.div_le_lower_bound; [easy|].
  pose proof (Z.mul_div_le a b Hb) as Q.
  assert (c * b - a * d = 4 * (num * den) * (fst y * snd x - fst x * snd y)) as E
    by (unfold a, b, c, d; ring).
  assert (0 <= 4 * (num * den) * (fst y * snd x - fst x * snd y))
    by (apply Z.mul_nonneg_nonneg; [nia | lia]).
  apply (Z.mul_le_mono_pos_r _ _ b Hb).
  apply Z.le_trans with (d * a); [|lia].
  replace (d * (a / b) * b) with (d * (b * (a / b))) by ring.
  apply Z.mul_le_mono_nonneg_l; lia.
Qed.

Lemma clamped_upper lo hi v w a b : lo <= hi -> w <= a -> a <= b ->
  Z.max (Z.min hi (Z.max lo w)) (Z.min hi a) <= Z.max (Z.min hi (Z.max lo v)) (Z.min hi b).
Proof. lia. Qed.

Lemma clamped_lower lo hi v w a b : lo <= hi -> a <= w -> b <= a ->
  Z.min (Z.min hi (Z.max lo v)) (Z.max lo b) <= Z.min (Z.min hi (Z.max lo w)) (Z.max lo a).
Proof. lia. Qed.

(** On a lattice that is coarse or fine, and under any public range that holds a lattice point. *)
Section Grid.
Variable resolution : ratio.
Hypothesis resolution_positive : positive resolution.
Variable p q : raw.
Hypothesis p_valid : raw_valid p.
Hypothesis q_valid : raw_valid q.
(** The range is public. *)
Hypothesis same_range : raw_low p = raw_low q /\ raw_high p = raw_high q.
Hypothesis range_holds_a_point : lowest resolution p <= highest resolution p.

Variable d : nat.
Variable w : Z.
Hypothesis w_public : 0 <= w.

Theorem on_grid_valid : valid (Public (lowest resolution p) (highest resolution p) d w) (on_grid resolution p).
Proof.
  destruct p_valid as [(Dv & Dl & Dh & Db) Us Ls Uw Lw].
  clear Dv Dl Dh q_valid same_range.
  constructor; cbn [value upper lower on_grid low high wider]; unfold centre.
  - rewrite Us. lia.
  - rewrite Ls. lia.
  - intros l. destruct (Db l), (Db (S l)).
    pose proof (rounded_monotone resolution (raw_upper p l) (raw_upper p (S l))
      resolution_positive ltac:(easy) ltac:(easy) (Uw l)). lia.
  - intros l. destruct (Db l), (Db (S l)).
    pose proof (rounded_monotone resolution (raw_lower p (S l)) (raw_lower p l)
      resolution_positive ltac:(easy) ltac:(easy) (Lw l)). lia.
  - lia.
  - exact w_public.
Qed.

Lemma widened (f : nat -> Z) : (forall l, f l <= f (S l)) -> forall l, f O <= f l.
Proof. intros H. induction l as [|l IH]; [lia|]. specialize (H l). lia. Qed.

Theorem on_grid_apart : raw_apart p q -> apart 1 (on_grid resolution p) (on_grid resolution q).
Proof.
  intros H l. destruct (H l) as [Hu Hl].
  destruct p_valid as [(_ & _ & _ & Dp) Up Lp Uwp Lwp].
  destruct q_valid as [(_ & _ & _ & Dq) Uq Lq Uwq Lwq].
  destruct (Dp (l + 1)%nat), (Dq l). destruct same_range as [E1 E2].
  pose proof (rounded_monotone resolution (raw_upper q l) (raw_upper p (l + 1))
    resolution_positive ltac:(easy) ltac:(easy) Hu) as A.
  pose proof (rounded_monotone resolution (raw_lower p (l + 1)) (raw_lower q l)
    resolution_positive ltac:(easy) ltac:(easy) Hl) as B.
  assert (rounded resolution (raw_value q) <= rounded resolution (raw_upper q l)) as Vu.
  { rewrite <- Uq. apply (widened (fun l => rounded resolution (raw_upper q l))). intros k.
    destruct (Dq k), (Dq (S k)). now apply rounded_monotone. }
  assert (rounded resolution (raw_lower q l) <= rounded resolution (raw_value q)) as Vl.
  { rewrite <- Lq. enough (- rounded resolution (raw_lower q 0) <= - rounded resolution (raw_lower q l)) by lia.
    apply (widened (fun l => - rounded resolution (raw_lower q l))). intros k.
    destruct (Dq k), (Dq (S k)).
    pose proof (rounded_monotone resolution (raw_lower q (S k)) (raw_lower q k)
      resolution_positive ltac:(easy) ltac:(easy) (Lwq k)). lia. }
  cbn [upper lower on_grid]. unfold centre.
  replace (lowest resolution q) with (lowest resolution p) by (unfold lowest; now rewrite E1).
  replace (highest resolution q) with (highest resolution p) by (unfold highest; now rewrite E2).
  split; [now apply clamped_upper | now apply clamped_lower].
Qed.

End Grid.
