import { canonicalJson } from '../../../../shared/json.ts';
import { firstLine } from '../../../../shared/text.ts';
import { amountOf, msOfSeconds, timeOf } from '../../coerce.ts';
import type { ImportedTrial } from '../../import-format.ts';
import type { RecordedVerdict } from '../../score-verdict.ts';
import { TraceCollector } from '../../trace-collector.ts';
import type { XmlPiece } from '../../xml-scanner.ts';
import { SuiteCounts } from './suite-counts.ts';

type OpenTag = Extract<XmlPiece, { type: 'open' }>;

/** A case, or something of a suite that is outside of its cases. */
export type Found =
  | { readonly trial: ImportedTrial }
  | {
      readonly line: number;
      readonly suite: string;
      readonly caseId: string;
      readonly problem: string;
      readonly reason: string;
    };

/** The test case that is being read. */
interface OpenCase {
  readonly name: string;
  readonly suite: string;
  readonly line: number;
  readonly seconds: number | undefined;
  readonly startedAt: number | undefined;
  verdict: RecordedVerdict;
  readonly collector: TraceCollector;
}

interface OpenSuite {
  /** From 0, in the order of the file. */
  readonly index: number;
  readonly element: string;
  readonly name: string;
  readonly line: number;
  readonly startedAt: number | undefined;
  readonly counts: SuiteCounts;
}

type State = RecordedVerdict['state'];

const states: Readonly<Record<string, State>> = {
  ...{ failure: 'fail', error: 'error', skipped: 'skipped', disabled: 'skipped' },
};
/** Parts of a test case that say nothing about its result; a flaky failure is one before a pass. */
const otherParts = /^(?:system-out|system-err|propert(?:y|ies)|flaky\w+|rerun\w+|attachments?|comment|description)$/;
const statuses: readonly (readonly [State, RegExp])[] = [
  ['pass', /^(?:run|pass(?:ed)?|success(?:ful)?|completed?|ok)$/i],
  ['skipped', /^(?:not_?run|disabled|skipped|suppressed|ignored|pending)$/i],
  ['fail', /^(?:fail(?:ed|ure)?|error|errored|broken)$/i],
];
const rank: readonly State[] = ['pass', 'skipped', 'error', 'fail'];
const longestReason = 2_000;

/** The test cases of a document, and the counts of its suites. */
export class TestCases {
  readonly countedSuites = new Map<number, SuiteCounts>();
  readonly #countedBefore: ReadonlyMap<number, SuiteCounts>;
  readonly #suites: OpenSuite[] = [];
  #suiteCount = 0;
  #case: OpenCase | undefined;
  #inside: { readonly element: string; text: string; readonly message: string; readonly line: number } | undefined;

  /** `countedBefore` are the suites with their cases, from when the document was read before. */
  constructor(countedBefore: ReadonlyMap<number, SuiteCounts> = new Map()) {
    this.#countedBefore = countedBefore;
  }

  get openCase(): OpenCase | undefined {
    return this.#case;
  }

  get isInSuite(): boolean {
    return this.#suites.length > 0;
  }

  /** The cases and problems that end with this piece. */
  *take(piece: XmlPiece): Generator<Found, void> {
    if (piece.type === 'text') {
      if (this.#inside) this.#inside.text += piece.text;
    } else if (piece.type === 'open') {
      this.#open(piece);
      if (piece.isClosed) yield* this.#close(piece.name);
    } else yield* this.#close(piece.name);
  }

  /** The problems of suites that the document does not end. */
  *finish(): Generator<Found, void> {
    this.#case = undefined;
    while (this.#suites.length > 0) yield* this.#endSuite();
  }

  #open(tag: OpenTag): void {
    const { name, attributes, line } = tag;
    if (name === 'testsuite' || name === 'testsuites') {
      this.#suites.push({
        ...{ index: this.#suiteCount++, element: name, name: attributes.name ?? '', line },
        startedAt: timeOf(attributes.timestamp),
        counts: new SuiteCounts(attributes),
      });
    } else if (name === 'testcase') this.#case = this.#caseOf(tag);
    else if (!this.#inside && (this.#case || name === 'error' || name === 'failure')) {
      this.#inside = { element: name, text: '', message: attributes.message ?? attributes.type ?? '', line };
    }
  }

  *#close(name: string): Generator<Found, void> {
    if (name === this.#suites.at(-1)?.element) yield* this.#endSuite();
    else if (name === 'testcase') yield* this.#endCase();
    else if (name === this.#inside?.element) yield* this.#endInside();
  }

  #caseOf({ attributes, line }: OpenTag): OpenCase {
    const suite = this.#suites.at(-1);
    const { classname = '', name = '' } = attributes;
    const isOwnClass = classname === '' || classname === name || classname === suite?.name || !suite?.name;
    return {
      // One suite may have tests of the same name in several classes.
      name: isOwnClass ? name || 'unnamed' : `${classname} › ${name}`,
      suite: suite?.name || classname,
      line,
      seconds: amountOf(attributes.time?.replaceAll(',', '')),
      startedAt: suite?.startedAt,
      verdict: statusOf(attributes),
      collector: new TraceCollector(),
    };
  }

  *#endInside(): Generator<Found, void> {
    const inside = this.#inside;
    this.#inside = undefined;
    if (!inside) return;
    const { element, line } = inside;
    const text = inside.text.trim();
    const reason = (inside.message || firstLine(text) || `it has a <${element}>`).slice(0, longestReason);
    if (!this.#case) {
      const suite = this.#suites.at(-1)?.name ?? '';
      const problem = `an <${element}> of the suite "${suite}" is outside of its test cases: ${reason}`;
      yield { line, suite, caseId: '(suite)', problem, reason };
      return;
    }
    if (element === 'system-out' || element === 'system-err') {
      if (text === '') return;
      const channel = element === 'system-out' ? 'stdout' : 'stderr';
      this.#case.collector.emit({ type: 'output', channel, text: inside.text, truncatedBytes: 0 });
      return;
    }
    const state = states[element];
    if (state) this.#judge({ state, reason });
    else if (!otherParts.test(element)) this.#judge({ state: 'error', reason: `it has an unknown part <${element}>` });
    if (state && text !== '') this.#case.collector.emit({ type: 'notice', message: text });
  }

  /** The worse verdict counts, whatever follows. */
  #judge(verdict: RecordedVerdict): void {
    if (this.#case && rank.indexOf(verdict.state) > rank.indexOf(this.#case.verdict.state))
      this.#case.verdict = verdict;
  }

  *#endCase(): Generator<Found, void> {
    const open = this.#case;
    this.#case = undefined;
    this.#inside = undefined;
    if (!open) return;
    const { name, suite, line, seconds, startedAt, verdict, collector } = open;
    for (const [depth, { counts }] of this.#suites.entries()) counts.add(verdict, depth < this.#suites.length - 1);
    const hiding = this.#suites.find(({ index }) => this.#countedBefore.get(index)?.hidesFailures);
    const isOverfull = this.#suites.some(({ index }) => this.#countedBefore.get(index)?.isOverfull);
    const reason = `it may have failed: its suite ${hiding && this.#countedBefore.get(hiding.index)?.contradiction}`;
    yield {
      trial: {
        line,
        id: isOverfull ? canonicalJson([suite, name, verdict, seconds]) : undefined,
        scenario: suite === '' ? undefined : suite,
        caseId: name,
        variant: {},
        trace: collector.finish(),
        verdict: hiding && verdict.state === 'pass' ? { state: 'error', reason } : verdict,
        startedAt,
        durationMs: msOfSeconds(seconds),
      },
    };
  }

  *#endSuite(): Generator<Found, void> {
    const suite = this.#suites.pop();
    const contradiction = suite?.counts.contradiction;
    if (suite) this.countedSuites.set(suite.index, suite.counts);
    if (!suite || contradiction === undefined) return;
    const { line, name, element } = suite;
    const who = element === 'testsuites' ? 'the document' : `the suite "${name}"`;
    yield {
      line,
      suite: name,
      caseId: '(counts)',
      problem: `${who} ${contradiction}`,
      reason: `${who} ${contradiction}`,
    };
  }
}

/** A test that did not run has neither passed nor failed, and one whose status says so has not passed. */
function statusOf({ status, result }: Readonly<Record<string, string>>): RecordedVerdict {
  const named = Object.entries({ status, result }).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const read = named.map(([name, value]): RecordedVerdict => {
    const [state] = statuses.find(([, words]) => words.test(value.trim())) ?? [];
    if (state === undefined) return { state: 'error', reason: `its \`${name}\` "${value}" is not known` };
    if (state === 'fail') return { state: 'error', reason: `its \`${name}\` is ${value}, and it has no <failure>` };
    return { state, reason: state === 'pass' ? 'passed' : `its \`${name}\` is ${value}` };
  });
  return read.sort((a, b) => rank.indexOf(b.state) - rank.indexOf(a.state))[0] ?? { state: 'pass', reason: 'passed' };
}
