import type { Fault, PlacedFault } from '../../../domain/tool-control/faults.ts';
import { sha256 } from '../../../shared/ids.ts';
import { canonicalJson } from '../../../shared/json.ts';
import { type Random, seededRandom } from '../../../shared/seeded-random.ts';
import type { ControlRule, NumberedCall, Ruling } from '../control.ts';
import { changedText, type TextFault } from './text-faults.ts';

/** How calls fail at one border. */
export interface FaultyBorder<Reply> {
  /** Whether a fault is about a call, by its arguments. */
  hasArguments(call: NumberedCall, args: NonNullable<Fault['args']>): boolean;
  /** Reply to a call that fails: an `error` or a `rate-limit`. */
  failure(fault: Fault): Reply;
  /** Reply to a call that nothing answers. */
  readonly unanswered: Reply;
  /** Reply to a call that loses its connection. */
  readonly dropped: Reply;
  /** Reply to a call that is lost because its server restarts; `rule` is the place of the fault. Only servers restart. */
  restarted?(rule: string): Reply;
  /** Reply to a call of a tool that is gone; only servers lose tools. */
  removed?(tool: string): Reply;
  emptied(reply: Reply): Reply;
  /** The reply with other texts; the same object where it has none that change. */
  withTexts(reply: Reply, change: (text: string) => string, kind: TextFault): Reply;
}

/** The faults of a border as rules; stale ones come first, because they remember what the tool itself answered. */
export function faultRules<Reply>(
  faults: readonly PlacedFault[],
  seed: string,
  border: FaultyBorder<Reply>,
): ControlRule<Reply>[] {
  const isStale = ({ fault }: PlacedFault): boolean => fault.fault === 'stale';
  const ordered = [...faults.filter(isStale), ...faults.filter((placed) => !isStale(placed))];
  return ordered.map((placed) => new FaultRule(placed, seed, border));
}

/** Breaks calls on purpose; the same seed breaks the same calls. */
class FaultRule<Reply> implements ControlRule<Reply> {
  readonly #placed: PlacedFault;
  readonly #seed: string;
  readonly #border: FaultyBorder<Reply>;
  /** Calls that tool and arguments select, by tool. */
  readonly #selected = new Map<string, number>();
  /** The same calls, by tool and arguments. */
  readonly #repeated = new Map<string, number>();
  /** Replies to the first calls with the same arguments, for stale ones. */
  readonly #earlier = new Map<string, Reply>();

  constructor(placed: PlacedFault, seed: string, border: FaultyBorder<Reply>) {
    this.#placed = placed;
    this.#seed = seed;
    this.#border = border;
  }

  decide(call: NumberedCall): Ruling<Reply> | undefined {
    const { fault, place } = this.#placed;
    if (!this.#isAbout(call)) return undefined;
    const isBroken = this.#breaks(call);
    const { fault: kind, message } = fault;
    const base = { kind: 'fault', rule: place, fault: { kind, message } } as const;
    if (fault.fault === 'stale') return { ...base, ...this.#stale(call, isBroken) };
    return isBroken ? { ...base, ...this.#effect(call) } : undefined;
  }

  #isAbout(call: NumberedCall): boolean {
    const { server, tool, args } = this.#placed.fault;
    if (server !== undefined && server !== call.server) return false;
    if (tool !== undefined && ![tool].flat().includes(call.tool)) return false;
    return args === undefined || this.#border.hasArguments(call, args);
  }

  #breaks(call: NumberedCall): boolean {
    const { call: only, firstCalls, untilRetry, probability } = this.#placed.fault;
    const number = counted(this.#selected, JSON.stringify([call.server, call.tool]));
    const repeats = counted(this.#repeated, sameCall(call)) - 1;
    if (only !== undefined && only !== number) return false;
    if (firstCalls !== undefined && number > firstCalls) return false;
    if (untilRetry !== undefined && repeats >= untilRetry) return false;
    return probability === undefined || this.#random(call)() < probability;
  }

  /** Drawn from the call itself: calls that come in another order are broken alike. */
  #random({ server, tool, number }: NumberedCall): Random {
    const drawn = sha256(JSON.stringify([this.#seed, this.#placed.place, server, tool, number]));
    return seededRandom(Number.parseInt(drawn.slice(0, 8), 16));
  }

  #effect(call: NumberedCall): Pick<Ruling<Reply>, 'what' | 'reply' | 'alter' | 'delayMs' | 'restartsServer'> {
    const { fault } = this.#placed;
    const border = this.#border;
    switch (fault.fault) {
      case 'error':
        return this.#instead('failed on purpose', border.failure(fault));
      case 'rate-limit':
        return this.#instead('was rate-limited on purpose', border.failure(fault));
      case 'timeout':
        return this.#instead('was not answered on purpose', border.unanswered);
      case 'dropped':
        return this.#instead('lost its connection on purpose', border.dropped);
      case 'server-restart':
        return this.#restart();
      case 'tool-removed':
        return this.#instead(
          'was of a tool that was removed on purpose',
          border.removed?.(call.tool) ?? border.failure(fault),
        );
      case 'latency': {
        const ms = drawnDelay(fault.ms ?? 0, this.#random({ ...call, tool: `${call.tool} delay` }));
        return { what: `was delayed on purpose by ${ms} ms`, delayMs: ms };
      }
      case 'empty':
        return { what: 'lost its content on purpose', alter: (reply) => border.emptied(reply) };
      default:
        return this.#changed(fault.fault as TextFault);
    }
  }

  #restart() {
    if (this.#placed.fault.betweenCalls)
      return { what: 'came after the server had restarted on purpose', restartsServer: true };
    const lost = this.#border.restarted?.(this.#placed.place) ?? this.#border.dropped;
    return this.#instead('was lost because the server restarted on purpose', lost);
  }

  /** Another reply than that of the tool, which is called only where the fault says so. */
  #instead(what: string, reply: Reply) {
    if (this.#placed.fault.toolRuns) return { what: `${what} after the tool ran`, alter: () => reply };
    return { what: `${what} before the tool ran`, reply };
  }

  #changed(kind: TextFault) {
    const { what, change } = changedText(kind, this.#placed.fault);
    return { what, alter: (reply: Reply) => this.#border.withTexts(reply, change, kind) };
  }

  /** The first reply to the same call is remembered; a call that is broken gets it again. */
  #stale(call: NumberedCall, isBroken: boolean) {
    const key = sameCall(call);
    const alter = (reply: Reply): Reply => {
      const earlier = this.#earlier.get(key);
      if (earlier === undefined) this.#earlier.set(key, reply);
      return isBroken && earlier !== undefined ? earlier : reply;
    };
    return { what: 'got the answer to an earlier call on purpose', alter };
  }
}

function counted(counts: Map<string, number>, key: string): number {
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return count;
}

function sameCall({ server, tool, args }: NumberedCall): string {
  return canonicalJson([server, tool, args]);
}

/** The 99th percentile of the normal distribution. */
const z99 = 2.326_347_874;
/** A rare draw is not longer than this times the 99th percentile. */
const mostTimes = 4;

/** A delay in milliseconds: as given, or drawn from the log-normal distribution with these percentiles. */
function drawnDelay(ms: NonNullable<Fault['ms']> | 0, random: Random): number {
  if (typeof ms === 'number') return ms;
  const spread = Math.log(ms.p99 / ms.p50) / z99;
  return Math.round(Math.min(ms.p50 * Math.exp(spread * normal(random)), ms.p99 * mostTimes));
}

/** A standard normal number, by the method of Box and Muller. */
function normal(random: Random): number {
  const [first, second] = [1 - random(), random()];
  return Math.sqrt(-2 * Math.log(first)) * Math.cos(2 * Math.PI * second);
}
