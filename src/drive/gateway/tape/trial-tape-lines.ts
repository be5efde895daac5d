import * as z from 'zod';
import { modelApiSchema } from '../../../domain/trace-schema.ts';
import { canonicalJson, parseJson } from '../../../shared/json.ts';
import type { ComparedRequest } from '../../tape/nearest.ts';
import { type TapedReply, tapedReplySchema, tapedRequestSchema, wholeRequest } from './tape.ts';

const number = () => z.int().min(1);
const ms = () => z.number().min(0);

/** One line of the tape of a trial that runs, as what it names happens. */
const lineSchema = z.union([
  /** A process began or went on with the trial. */
  z.strictObject({
    attempt: z.strictObject({
      version: z.literal(1),
      /** Digest of what replies depend on beside their requests. */
      setup: z.string(),
      /** Why the trial cannot go on from this tape. */
      cannot: z.string().optional(),
    }),
  }),
  /** A call goes to the provider. */
  z.strictObject({
    sent: z.strictObject({
      number: number(),
      api: modelApiSchema,
      /** Milliseconds since 1970. */
      at: ms(),
      request: tapedRequestSchema,
    }),
  }),
  /** Its reply arrived, and goes to the agent next. */
  z.strictObject({
    replied: z.strictObject({
      number: number(),
      durationMs: ms(),
      timeToFirstTokenMs: ms().optional(),
      /** Absent where it is too large to be kept. */
      reply: tapedReplySchema.optional(),
      /** Why it cannot be given again. */
      cannot: z.string().optional(),
    }),
  }),
  /** The agent took another path than on the tape. */
  z.strictObject({ left: z.string() }),
]);
export type TrialTapeLine = z.input<typeof lineSchema>;
type Replied = Extract<z.output<typeof lineSchema>, { replied: unknown }>['replied'];

/** A call that was sent in an attempt before. */
export interface SentCall {
  readonly api: z.output<typeof modelApiSchema>;
  readonly request: ComparedRequest;
  /** The same for the same request. */
  readonly key: string;
  readonly at: number;
  /** How many replies there were when it was sent. */
  readonly repliesBefore: number;
}

/** A call that was answered in an attempt before. */
export interface AnsweredCall extends SentCall, Pick<Replied, 'durationMs' | 'timeToFirstTokenMs'> {
  readonly reply: TapedReply;
}

/** The attempts before, as far as their tape has them. */
export interface EarlierAttempts {
  readonly setup: string;
  /** In the order of their replies. */
  readonly answered: readonly AnsweredCall[];
  readonly underWay: readonly SentCall[];
  readonly sentCount: number;
  /** Why the trial cannot go on from it. */
  readonly cannot: string | undefined;
}

export function keyOf(api: SentCall['api'], request: ComparedRequest): string {
  return canonicalJson([api, request]);
}

/** Reads the tape of a trial; undefined where there is nothing on it. The last line of a killed process may be torn. */
export function readTrialTape(text: string): EarlierAttempts | undefined {
  const reading = new TapeReading();
  const lines = text.split('\n').filter((line) => line !== '');
  const parsed = lines.map((line) => lineSchema.safeParse(parseJson(line)));
  for (const [index, { data }] of parsed.entries()) {
    const next = parsed[index + 1]?.data;
    const isTorn = data === undefined && (index + 1 === parsed.length || (next !== undefined && 'attempt' in next));
    if (isTorn) continue;
    if (!data) reading.cannot ??= `line ${index + 1} of its tape cannot be read`;
    else reading.add(data);
  }
  return reading.result();
}

class TapeReading {
  cannot: string | undefined;
  #setup: string | undefined;
  readonly #sent: SentCall[] = [];
  readonly #open = new Map<number, SentCall>();
  readonly #answered: AnsweredCall[] = [];

  add(line: z.output<typeof lineSchema>): void {
    if ('attempt' in line) {
      this.#setup ??= line.attempt.setup;
      this.cannot ??= line.attempt.cannot;
    } else if ('left' in line) this.cannot = line.left;
    else if ('sent' in line) {
      const { number: place, api, at } = line.sent;
      const request = wholeRequest(line.sent.request, this.#sent);
      const call = { api, at, request, key: keyOf(api, request), repliesBefore: this.#answered.length };
      if (place !== this.#sent.push(call)) this.cannot ??= 'a line of its tape is missing';
      this.#open.set(place, call);
    } else this.#addReply(line.replied);
  }

  result(): EarlierAttempts | undefined {
    if (this.#setup === undefined && this.cannot === undefined) return undefined;
    return {
      setup: this.#setup ?? '',
      answered: this.#answered,
      underWay: [...this.#open.values()],
      sentCount: this.#sent.length,
      cannot: this.cannot,
    };
  }

  #addReply({ number: place, reply, cannot, ...times }: Replied): void {
    const call = this.#open.get(place);
    this.#open.delete(place);
    this.cannot ??= cannot ?? (call && reply ? undefined : 'a line of its tape is missing');
    if (call) this.#answered.push({ ...call, ...times, reply: reply ?? nothing });
  }
}

const nothing: TapedReply = { status: null, headers: {}, ending: 'cut' };
