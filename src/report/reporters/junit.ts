import type { RunHeader } from '../../domain/run.ts';
import { eachTrial, type ScenarioCounts } from '../../keep/store/store.ts';
import { withVisibleMarks } from '../../shared/text.ts';
import type { CiVerdict } from '../compare/ci-verdict.ts';
import type { RunFigures } from '../compare/run-figures.ts';
import { hookProblemText } from '../presentation/figures.ts';
import { ciCaseFinder } from './ci-cases.ts';
import type { JunitCase } from './junit-cases.ts';
import { countedCases, demandCases, notRunCases } from './junit-ci.ts';
import type { Reporter, StoredRun } from './reporter.ts';
import { readCiReport, readRunFigures, runProperties } from './run-figures.ts';

/** JUnit XML: a suite per scenario, a test case per trial; with MCP servers one per test and metric. */
export const junitReporter: Reporter = {
  name: 'junit',
  summary: 'JUnit XML for CI systems',
  fileName: 'junit.xml',
  async *render(stored) {
    const { store, summary } = stored;
    const { run } = summary;
    const figures = await readRunFigures(stored);
    const suites = await store.countByScenario(run.runId);
    const ci = await readCiReport(stored);
    const caseCounts = await countCases(stored, suites, ci);
    const find = ciCaseFinder(ci);
    const demands = ci ? demandCases(ci, stored.demands?.check) : [];
    const absent = notRunCases(summary);
    yield '<?xml version="1.0" encoding="UTF-8"?>\n';
    yield `<testsuites ${attributes({ name: `assay ${run.runId}`, ...total([...caseCounts, countsOf([...absent, ...demands])]), ...timeOf(figures.durationMs) })}>\n`;
    let open = -1;
    for await (const record of eachTrial(store, run.runId)) {
      const suite = suiteOf(record.ordinal, suites);
      if (suite !== open) {
        if (open >= 0) yield '  </testsuite>\n';
        const counts = suites[suite] as ScenarioCounts;
        yield openSuite(counts, caseCounts[suite] as CaseCounts, run.startedAt);
        // The schema has no properties of all suites, so those of the run stand in the first.
        yield properties(counts, open < 0 ? runPropertiesOf(run, figures) : []);
        open = suite;
      }
      for (const item of countedCases(record, find)) yield testCase(item);
    }
    if (open >= 0) yield '  </testsuite>\n';
    yield suiteAbout('run', absent, run.startedAt);
    yield suiteAbout('CI', demands, run.startedAt);
    yield '</testsuites>\n';
  },
};

/** How many cases a suite has, and what became of them; CI systems want to know before they see them. */
interface CaseCounts {
  tests: number;
  failures: number;
  errors: number;
  skipped: number;
}

/** A case is a trial, so the store can count them; trials of MCP servers have to be read. */
async function countCases(
  { store, summary }: StoredRun,
  suites: readonly ScenarioCounts[],
  ci: CiVerdict | undefined,
): Promise<CaseCounts[]> {
  const { runId, scenarios } = summary.run;
  const isCounted =
    !ci &&
    summary.totals.skipped + summary.totals.notRun === 0 &&
    scenarios.every(({ serverPart }) => serverPart === null);
  if (isCounted) return suites.map(trialCounts);
  const find = ciCaseFinder(ci);
  const counts = suites.map(() => noCases());
  for await (const record of eachTrial(store, runId)) {
    const count = counts[suiteOf(record.ordinal, suites)];
    if (count) addTo(count, countedCases(record, find));
  }
  return counts;
}

function noCases(): CaseCounts {
  return { tests: 0, failures: 0, errors: 0, skipped: 0 };
}

function countsOf(cases: readonly JunitCase[]): CaseCounts {
  const counts = noCases();
  addTo(counts, cases);
  return counts;
}

function addTo(counts: CaseCounts, cases: readonly JunitCase[]): void {
  for (const { problem } of cases) {
    counts.tests++;
    if (problem?.element === 'failure') counts.failures++;
    else if (problem?.element === 'skipped') counts.skipped++;
    else if (problem) counts.errors++;
  }
}

function trialCounts({ pass, fail, error }: ScenarioCounts): CaseCounts {
  return { tests: pass + fail + error, failures: fail, errors: error, skipped: 0 };
}

function total(counts: readonly CaseCounts[]): CaseCounts & Record<string, number> {
  const sum = { tests: 0, failures: 0, errors: 0, skipped: 0 };
  for (const { tests, failures, errors, skipped } of counts) {
    sum.skipped += skipped;
    sum.tests += tests;
    sum.failures += failures;
    sum.errors += errors;
  }
  return sum;
}

/** A suite that is not one of the scenarios; nothing without cases. */
function suiteAbout(scenario: string, cases: readonly JunitCase[], startedAt: number): string {
  if (cases.length === 0) return '';
  const suite = { scenario, durationMs: null };
  return `${openSuite(suite, countsOf(cases), startedAt)}${cases.map(testCase).join('')}  </testsuite>\n`;
}

function suiteOf(ordinal: number, suites: readonly ScenarioCounts[]): number {
  return suites.findIndex(({ firstOrdinal, lastOrdinal }) => ordinal >= firstOrdinal && ordinal <= lastOrdinal);
}

function openSuite(
  { scenario, durationMs }: Pick<ScenarioCounts, 'scenario'> & { readonly durationMs: number | null },
  counts: CaseCounts,
  startedAt: number,
): string {
  return `  <testsuite ${attributes({
    name: scenario,
    ...counts,
    ...timeOf(durationMs),
    timestamp: new Date(startedAt).toISOString().slice(0, 19),
    hostname: 'localhost',
  })}>\n`;
}

type Property = { readonly name: string; readonly value: string | number };

function runPropertiesOf({ hookProblems = [] }: RunHeader, figures: RunFigures): Property[] {
  return [
    ...runProperties(figures).map(([name, value]) => ({ name: `run.${name}`, value })),
    ...hookProblems.map((problem) => ({ name: 'run.hook_problem', value: hookProblemText(problem) })),
  ];
}

/** A suite has at most one list of properties. */
function properties({ marks }: ScenarioCounts, ofRun: readonly Property[]): string {
  const named = [...ofRun, ...Object.entries(marks).map(([name, value]) => ({ name, value }))];
  if (named.length === 0) return '';
  const items = named.map((property) => `      <property ${attributes(property)}/>\n`);
  return `    <properties>\n${items.join('')}    </properties>\n`;
}

function testCase({ name, classname, durationMs, problem, note, details, standIns = [] }: JunitCase): string {
  const head = attributes({ name, classname, ...timeOf(durationMs) });
  const notes = [note ?? [], standIns].flat();
  const inside = [
    ...(problem ? [problemElement(problem, details)] : []),
    ...(notes.length > 0 ? [`      <system-out>${escapeXml(notes.join('\n'))}</system-out>\n`] : []),
  ];
  if (inside.length === 0) return `    <testcase ${head}/>\n`;
  return `    <testcase ${head}>\n${inside.join('')}    </testcase>\n`;
}

function problemElement(
  { element, message, type }: NonNullable<JunitCase['problem']>,
  details: readonly string[],
): string {
  const lines = details.map(escapeXml).join('\n');
  return `      <${element} ${attributes({ message, type })}>${lines}</${element}>\n`;
}

/** The attribute is optional: a case that was not measured has none. */
function timeOf(ms: number | null): { readonly time?: string } {
  return ms === null ? {} : { time: seconds(ms) };
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
  return withVisibleMarks(text)
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
