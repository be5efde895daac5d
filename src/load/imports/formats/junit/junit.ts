import type { ImportedTrial, ImportFormat } from '../../import-format.ts';
import type { ImportSource } from '../../import-source.ts';
import { TraceCollector } from '../../trace-collector.ts';
import { XmlScanner } from '../../xml-scanner.ts';
import { type Found, TestCases } from './test-cases.ts';

/** JUnit XML of any test runner: each test case is a trial. */
export const junit: ImportFormat = {
  name: 'junit',
  summary: 'JUnit XML: test cases with their results',
  reports: [],
  recognises: ({ text }) => /<testsuites?[\s>/]/.test(text),
  lacks: ({ text }) => (/^\s*<[?!a-z]/i.test(text) ? '`<testsuite>` with `<testcase>`' : undefined),
  async *read(source) {
    // Counts stand before the cases, and whether they are right is known only after them.
    const counted = new TestCases();
    for await (const _ of trialsOf(source.silent(), counted));
    yield* trialsOf(source, new TestCases(counted.countedSuites));
  },
};

async function* trialsOf(source: ImportSource, cases: TestCases): AsyncGenerator<ImportedTrial, void> {
  const scanner = new XmlScanner();
  for await (const chunk of source.text()) {
    for (const piece of scanner.push(chunk)) {
      for (const found of cases.take(piece)) yield* reportedTrial(found, source);
    }
  }
  const rest = scanner.end();
  const open = cases.openCase;
  if (open) source.problem(open.line, 'the file ends within this test case, which was left out');
  else if (rest.text.trim() !== '' || cases.isInSuite) source.problem(rest.line, 'the file ends early');
  for (const found of cases.finish()) yield* reportedTrial(found, source);
}

function* reportedTrial(found: Found, source: ImportSource): Generator<ImportedTrial, void> {
  if ('trial' in found) return void (yield found.trial);
  const { line, suite, caseId, problem, reason } = found;
  source.problem(line, problem);
  const verdict = { state: 'error', reason } as const;
  yield { line, scenario: suite || undefined, caseId, variant: {}, trace: new TraceCollector().finish(), verdict };
}
