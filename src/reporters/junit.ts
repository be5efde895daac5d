import type { TrialRecord } from '../domain/record.ts';
import type { ScenarioCounts } from '../store/store.ts';
import { eachTrial } from '../store/store.ts';
import type { Reporter } from './reporter.ts';
import { decidingCriteria, trialTitle } from './trial-text.ts';

/** JUnit XML: a suite per scenario, a test case per trial. */
export const junitReporter: Reporter = {
  name: 'junit',
  summary: 'JUnit XML for CI systems',
  fileName: 'junit.xml',
  async *render({ store, summary }) {
    const { run, totals, durationMs } = summary;
    const suites = await store.countByScenario(run.runId);
    yield '<?xml version="1.0" encoding="UTF-8"?>\n';
    yield `<testsuites ${attributes({ name: `assay ${run.runId}`, tests: totals.planned - totals.skipped, failures: totals.fail, errors: totals.error, skipped: 0, time: seconds(durationMs) })}>\n`;
    let open = -1;
    for await (const record of eachTrial(store, run.runId)) {
      const suite = suites.findIndex(
        (counts) => record.ordinal >= counts.firstOrdinal && record.ordinal <= counts.lastOrdinal,
      );
      if (suite !== open) {
        if (open >= 0) yield '  </testsuite>\n';
        yield openSuite(suites[suite] as ScenarioCounts, run.startedAt);
        open = suite;
      }
      yield testCase(record);
    }
    if (open >= 0) yield '  </testsuite>\n';
    yield '</testsuites>\n';
  },
};

function openSuite(counts: ScenarioCounts, startedAt: number): string {
  const { scenario, pass, fail, error, durationMs } = counts;
  return `  <testsuite ${attributes({
    name: scenario,
    tests: pass + fail + error,
    failures: fail,
    errors: error,
    skipped: 0,
    time: seconds(durationMs),
    timestamp: new Date(startedAt).toISOString().slice(0, 19),
    hostname: 'localhost',
  })}>\n`;
}

function testCase(record: TrialRecord): string {
  const head = attributes({ name: trialTitle(record), classname: record.file, time: seconds(record.durationMs) });
  if (record.outcome === 'pass') return `    <testcase ${head}/>\n`;
  const element = record.outcome === 'fail' ? 'failure' : 'error';
  const type = record.fault?.code ?? 'AssertionFailed';
  const details = failureDetails(record).map(escapeXml).join('\n');
  return `    <testcase ${head}>\n      <${element} ${attributes({ message: record.reason, type })}>${details}</${element}>\n    </testcase>\n`;
}

function failureDetails(record: TrialRecord): string[] {
  const lines = record.evaluatorResults
    .filter((result) => result.state === 'fail' || result.state === 'error')
    .map((result) => `${result.type}: ${result.reason}`);
  lines.push(...decidingCriteria(record).map((detail) => `${detail.criterion}: ${detail.explanation}`));
  if (record.fault) lines.push(`${record.fault.code} (${record.fault.blame}): ${record.fault.hint}`);
  lines.push(`trial ${record.trialId}`);
  return lines;
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3);
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${escapeXml(String(value))}"`)
    .join(' ');
}

/** XML 1.0 cannot carry most control characters, not even escaped. */
function escapeXml(text: string): string {
  return text
    .replace(
      /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g,
      '\uFFFD',
    )
    .replace(/[&<>"\n\t]/g, (character) => entities[character] ?? character);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\t': '&#9;',
};
