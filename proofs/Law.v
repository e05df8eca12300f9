(** Finite output laws: normalised weights, privacy, bounded range, post-processing.

    A law is a list of outputs and a positive weight of each; the probability of an output is its
    weight over the sum of all. Nothing here knows what a score or a profile is. *)

From Coq Require Import Reals List Lra.
Import ListNotations.
Open Scope R_scope.

Section Finite.
Context {A : Type}.

Fixpoint total (w : A -> R) (ys : list A) : R :=
  match ys with [] => 0 | y :: rest => w y + total w rest end.

Definition prob (w : A -> R) (ys : list A) (y : A) : R := w y / total w ys.

(** Every output is at most [exp c] times as likely under [p] as under [q]. *)
Definition close (c : R) (ys : list A) (p q : A -> R) : Prop :=
  forall y, In y ys -> p y <= exp c * q y.

(** The logarithm of [p / q] lies in an interval of length [c]. *)
Definition bounded_range (c : R) (ys : list A) (p q : A -> R) : Prop :=
  forall y z, In y ys -> In z ys -> p y * q z <= exp c * (q y * p z).

Lemma total_nonneg w ys : (forall y, In y ys -> 0 < w y) -> 0 <= total w ys.
Proof.
  induction ys as [|y ys IH]; cbn; intros H; [lra|].
  assert (0 < w y) by (apply H; now left).
  assert (0 <= total w ys) by (apply IH; intros; apply H; now right). lra.
Qed.

Lemma total_positive w ys y :
  In y ys -> (forall y, In y ys -> 0 < w y) -> 0 < total w ys.
Proof.
  destruct ys as [|a ys]; cbn; [easy|]. intros _ H.
  assert (0 < w a) by (apply H; now left).
  assert (0 <= total w ys) by (apply total_nonneg; intros; apply H; now right). lra.
Qed.

Lemma total_le c w v ys :
  (forall y, In y ys -> w y <= c * v y) -> total w ys <= c * total v ys.
Proof.
  induction ys as [|y ys IH]; cbn; intros H; [lra|].
  assert (w y <= c * v y) by (apply H; now left).
  assert (total w ys <= c * total v ys) by (apply IH; intros; apply H; now right). lra.
Qed.

Lemma total_scale c w ys : total (fun y => c * w y) ys = c * total w ys.
Proof. induction ys as [|y ys IH]; cbn; [lra|]. rewrite IH; lra. Qed.

Lemma total_ext w v ys : (forall y, In y ys -> w y = v y) -> total w ys = total v ys.
Proof.
  induction ys as [|y ys IH]; cbn; intros H; [easy|].
  rewrite (H y), IH; auto.
Qed.

(** Probabilities add up to one. *)
Lemma prob_total w ys y :
  In y ys -> (forall y, In y ys -> 0 < w y) -> total (prob w ys) ys = 1.
Proof.
  intros Hy Hw. pose proof (total_positive w ys y Hy Hw).
  rewrite (total_ext _ (fun y => / total w ys * w y))
    by (intros; unfold prob, Rdiv; apply Rmult_comm).
  rewrite total_scale. field. lra.
Qed.

(** A factor that all weights share changes no probability. *)
Lemma prob_scale c w ys y : 0 < c -> prob (fun z => c * w z) ys y = prob w ys y.
Proof.
  intros Hc. unfold prob. rewrite total_scale.
  destruct (Req_dec (total w ys) 0) as [E|E].
  - rewrite E, Rmult_0_r. unfold Rdiv. rewrite Rinv_0. ring.
  - field. lra.
Qed.

(** Weights that change by factors in [exp (- b), exp a] give probabilities within [exp (a + b)]. *)
Theorem weights_close a b ys w v :
  (forall y, In y ys -> 0 < w y) -> (forall y, In y ys -> 0 < v y) ->
  (forall y, In y ys -> w y <= exp a * v y) -> (forall y, In y ys -> v y <= exp b * w y) ->
  close (a + b) ys (prob w ys) (prob v ys).
Proof.
  intros Hw Hv Hwv Hvw y Hy. unfold prob, Rdiv.
  pose proof (total_positive w ys y Hy Hw) as Tw.
  pose proof (total_positive v ys y Hy Hv) as Tv.
  pose proof (total_le (exp b) v w ys Hvw) as T.
  rewrite exp_plus.
  apply Rmult_le_reg_r with (total w ys * total v ys); [nra|].
  replace (w y * / total w ys * (total w ys * total v ys)) with (w y * total v ys)
    by (field; lra).
  replace (exp a * exp b * (v y * / total v ys) * (total w ys * total v ys))
    with ((exp a * v y) * (exp b * total w ys)) by (field; lra).
  apply Rmult_le_compat; auto; [left; auto | lra].
Qed.

Theorem weights_bounded_range a b ys w v :
  (forall y, In y ys -> 0 < w y) -> (forall y, In y ys -> 0 < v y) ->
  (forall y, In y ys -> w y <= exp a * v y) -> (forall y, In y ys -> v y <= exp b * w y) ->
  bounded_range (a + b) ys (prob w ys) (prob v ys).
Proof.
  intros Hw Hv Hwv Hvw y z Hy Hz. unfold prob, Rdiv.
  pose proof (total_positive w ys y Hy Hw) as Tw.
  pose proof (total_positive v ys y Hy Hv) as Tv.
  rewrite exp_plus.
  apply Rmult_le_reg_r with (total w ys * total v ys); [nra|].
  replace (w y * / total w ys * (v z * / total v ys) * (total w ys * total v ys))
    with (w y * v z) by (field; lra).
  replace (exp a * exp b * (v y * / total v ys * (w z * / total w ys)) * (total w ys * total v ys))
    with ((exp a * v y) * (exp b * w z)) by (field; lra).
  apply Rmult_le_compat; auto; left; auto.
Qed.

(** Bounded range and totals of one give privacy at the same number. *)
Theorem bounded_range_close c ys p q :
  (forall y, In y ys -> 0 < p y) -> (forall y, In y ys -> 0 < q y) ->
  total p ys = 1 -> total q ys = 1 ->
  bounded_range c ys p q -> close c ys p q.
Proof.
  intros Hp Hq Tp Tq H y Hy.
  pose proof (total_le (exp c * q y / p y) q p ys) as T.
  assert (total q ys <= exp c * q y / p y * total p ys) as T'.
  { apply T. intros z Hz. specialize (H y z Hy Hz). specialize (Hp y Hy).
    apply Rmult_le_reg_l with (p y); [easy|].
    replace (p y * (exp c * q y / p y * p z)) with (exp c * (q y * p z)) by (field; lra). easy. }
  rewrite Tp, Tq in T'. specialize (Hp y Hy).
  apply Rmult_le_reg_r with (/ p y); [apply Rinv_0_lt_compat; easy|].
  rewrite Rinv_r by lra. unfold Rdiv in T'. lra.
Qed.

(** Events: whatever is computed from the output is as close as the output (post-processing). *)
Theorem events_close c ys p q (event : A -> bool) :
  close c ys p q -> total p (filter event ys) <= exp c * total q (filter event ys).
Proof.
  intros H. apply total_le. intros y Hy. apply H. now apply filter_In in Hy.
Qed.

(** Exponents: weights [base y * exp (- e y)] with a public positive base measure. *)
Definition weight (base e : A -> R) (y : A) : R := base y * exp (- e y).

Lemma weight_positive base e ys :
  (forall y, In y ys -> 0 < base y) -> forall y, In y ys -> 0 < weight base e y.
Proof. intros H y Hy. apply Rmult_lt_0_compat; [auto | apply exp_pos]. Qed.

Lemma exp_le a b : a <= b -> exp a <= exp b.
Proof. intros [H| -> ]; [left; now apply exp_increasing | right; easy]. Qed.

Lemma weight_le base e f c ys :
  (forall y, In y ys -> 0 < base y) -> (forall y, In y ys -> f y - e y <= c) ->
  forall y, In y ys -> weight base e y <= exp c * weight base f y.
Proof.
  intros Hb H y Hy. unfold weight.
  replace (exp c * (base y * exp (- f y))) with (base y * (exp c * exp (- f y))) by ring.
  rewrite <- exp_plus. apply Rmult_le_compat_l; [left; auto|].
  apply exp_le. specialize (H y Hy). lra.
Qed.

(** Between neighbours no exponent falls by more than [a] or rises by more than [b]. *)
Theorem exponents_private a b base e f ys :
  (forall y, In y ys -> 0 < base y) ->
  (forall y, In y ys -> - a <= e y - f y <= b) ->
  close (a + b) ys (prob (weight base e) ys) (prob (weight base f) ys) /\
  bounded_range (a + b) ys (prob (weight base e) ys) (prob (weight base f) ys).
Proof.
  intros Hb H.
  assert (forall y, In y ys -> f y - e y <= a) by (intros y Hy; specialize (H y Hy); lra).
  assert (forall y, In y ys -> e y - f y <= b) by (intros y Hy; specialize (H y Hy); lra).
  split; [apply weights_close | apply weights_bounded_range];
    first [now apply weight_positive | now apply weight_le].
Qed.

(** A constant that is taken off every exponent, known to the data or not, changes nothing. *)
Lemma exponents_shift base e c ys y :
  prob (weight base (fun z => e z - c)) ys y = prob (weight base e) ys y.
Proof.
  rewrite <- (prob_scale (exp c) (weight base e)) by apply exp_pos.
  assert (H : forall z, weight base (fun z => e z - c) z = exp c * weight base e z).
  { intros z. unfold weight. replace (- (e z - c)) with (c + - e z) by ring.
    rewrite exp_plus. ring. }
  unfold prob. rewrite H, (total_ext _ (fun z => exp c * weight base e z)) by auto. easy.
Qed.

End Finite.
