import { untilAborted } from '../../shared/async.ts';

/** The part of an amount that is set aside for one call. */
export interface Reservation {
  most: number;
}

/** An amount of dollars or tokens that calls use up, with the most that those in flight may use. */
export class ReservedAmount {
  #limit: number | undefined;
  #used = 0;
  /** The most that calls may have used whose figures never arrived. */
  #doubtful = 0;
  readonly #inFlight = new Set<Reservation>();
  readonly #waiting = new Set<() => void>();

  constructor(limit: number | undefined) {
    this.#limit = limit;
  }

  get limit(): number | undefined {
    return this.#limit;
  }

  /** Changes the limit of an amount that has one; calls that wait for a part of it look again. */
  setLimit(limit: number): void {
    this.#limit = limit;
    this.#wakeWaiting();
  }

  get used(): number {
    return this.#used;
  }

  /** The part that calls may still use once those in flight have ended without any; infinite where there is no limit. */
  get left(): number {
    return (this.#limit ?? Number.POSITIVE_INFINITY) - this.#used - this.#doubtful;
  }

  add(amount: number): void {
    this.#used += amount;
  }

  /** Counts the most that calls may have used whose figures will never arrive. */
  addDoubtful(most: number): void {
    this.#doubtful += most;
  }

  /** Sets a part aside. Waits for calls in flight when they may leave enough; undefined when they cannot. */
  async setAside(most: number, signal: AbortSignal): Promise<Reservation | undefined> {
    const reservation = { most: 0 };
    for (;;) {
      if (most > this.left) return undefined;
      if (this.extend(reservation, most)) return reservation;
      await untilAborted(new Promise<void>((resolve) => this.#waiting.add(resolve)), signal);
    }
  }

  /** Sets more aside for a call; false where that does not fit beside the others in flight. */
  extend(reservation: Reservation, most: number): boolean {
    const others = [...this.#inFlight].reduce((sum, each) => sum + (each === reservation ? 0 : each.most), 0);
    if (most + others > this.left) return false;
    reservation.most = Math.max(most, reservation.most);
    this.#inFlight.add(reservation);
    return true;
  }

  /** Ends a reservation with what the call used; null when that will never be known. */
  settle(reservation: Reservation, amount: number | null): void {
    this.#inFlight.delete(reservation);
    if (amount === null) this.#doubtful += reservation.most;
    else this.#used += amount;
    this.#wakeWaiting();
  }

  #wakeWaiting(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
