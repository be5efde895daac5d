import { amountOf, timeOf } from '../coerce.ts';
import type { ImportedTrial, ImportFormat } from '../import-format.ts';
import type { RecordedVerdict } from '../recorded-verdict.ts';
import { TraceCollector } from '../trace-collector.ts';
import { type XmlPiece, XmlScanner } from '../xml-scanner.ts';

type OpenTag = Extract<XmlPiece, { type: 'open' }>;

/** JUnit XML of any test runner: each test case is a trial. */
export const junit: ImportFormat = {
  name: 'junit',
  summary: 'JUnit XML: test cases with their results',
  reports: [],
  recognises: ({ text }) => /<testsuites?[\s>/]/.test(text),
  lacks: ({ text }) => (/^\s*<[?!a-z]/i.test(text) ? '`<testsuite>` with `<testcase>`' : undefined),
  async *read(source) {
    const scanner = new XmlScanner();
    const cases = new TestCases();
    for await (const chunk of source.text()) {
      for (const piece of scanner.push(chunk)) {
        const trial = cases.take(piece);
        if (trial) yield trial;
      }
    }
    const rest = scanner.end();
    const open = cases.openCase;
    if (open) source.warning(open.line, 'the file ends within this test case, which was left out');
    else if (rest.text.trim() !== '' || cases.isInSuite) source.warning(rest.line, 'the file ends early');
  },
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

const states = { failure: 'fail', error: 'error', skipped: 'skipped' } as const;
const longestReason = 2_000;

class TestCases {
  readonly #suites: { readonly name: string; readonly startedAt: number | undefined }[] = [];
  #case: OpenCase | undefined;
  #inside: { readonly element: string; text: string; readonly message: string } | undefined;

  get openCase(): OpenCase | undefined {
    return this.#case;
  }

  get isInSuite(): boolean {
    return this.#suites.length > 0;
  }

  /** The trial that ends with this piece. */
  take(piece: XmlPiece): ImportedTrial | undefined {
    if (piece.type === 'text') this.#text(piece.text);
    else if (piece.type === 'open') return this.#open(piece);
    else if (piece.name === 'testsuite') this.#suites.pop();
    else if (piece.name === 'testcase') return this.#finish();
    else if (piece.name === this.#inside?.element) this.#endInside();
    return undefined;
  }

  #open(tag: OpenTag): ImportedTrial | undefined {
    const { name, attributes, isClosed } = tag;
    if (name === 'testsuite' && !isClosed) {
      this.#suites.push({ name: attributes.name ?? '', startedAt: timeOf(attributes.timestamp) });
    } else if (name === 'testcase') {
      this.#case = this.#caseOf(tag);
      if (isClosed) return this.#finish();
    } else if (this.#case && (name in states || name === 'system-out' || name === 'system-err')) {
      this.#inside = { element: name, text: '', message: attributes.message ?? attributes.type ?? '' };
      if (isClosed) this.#endInside();
    }
    return undefined;
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
      verdict: { state: 'pass', reason: 'passed' },
      collector: new TraceCollector(),
    };
  }

  #text(text: string): void {
    if (this.#inside) this.#inside.text += text;
  }

  #endInside(): void {
    const inside = this.#inside;
    this.#inside = undefined;
    if (!inside || !this.#case) return;
    const { element } = inside;
    if (element === 'system-out' || element === 'system-err') {
      if (inside.text.trim() === '') return;
      const channel = element === 'system-out' ? 'stdout' : 'stderr';
      this.#case.collector.emit({ type: 'output', channel, text: inside.text, truncatedBytes: 0 });
      return;
    }
    const state = states[element as keyof typeof states];
    const reason = inside.message || inside.text.trim().split('\n')[0] || `it has a <${element}>`;
    // A failure is final, whatever follows.
    if (this.#case.verdict.state !== 'fail') this.#case.verdict = { state, reason: reason.slice(0, longestReason) };
    if (inside.text.trim() !== '') this.#case.collector.emit({ type: 'notice', message: inside.text.trim() });
  }

  #finish(): ImportedTrial | undefined {
    const open = this.#case;
    this.#case = undefined;
    this.#inside = undefined;
    if (!open) return undefined;
    const { name, suite, line, seconds, startedAt, verdict, collector } = open;
    return {
      line,
      scenario: suite === '' ? undefined : suite,
      caseId: name,
      variant: {},
      trace: collector.finish(),
      verdict,
      startedAt,
      durationMs: seconds === undefined ? undefined : seconds * 1_000,
    };
  }
}
