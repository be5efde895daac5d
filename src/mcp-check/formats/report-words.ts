import { costText, counted, grouped } from '../../shared/format.ts';
import { groupedBy } from '../../shared/grouped-by.ts';
import { proofText } from '../ambiguity/proof-text.ts';
import type { ToolReport } from '../calls/tool-report.ts';
import type { CheckReport } from '../check-report.ts';
import type { CheckProblem } from '../definitions/rule.ts';
import type { FeatureReport } from '../features/feature.ts';

/** Problems of one rule, shown together; equal messages of several tools are shown once. */
export interface ProblemGroup {
  readonly rule: CheckProblem;
  readonly problems: readonly { readonly subject: string; readonly text: string }[];
}

const mostNamed = 6;

/** The problems by rule, in the order of the report. */
export function grouping(problems: readonly CheckProblem[]): ProblemGroup[] {
  return [...groupedBy(problems, ({ id }) => id).values()].flatMap((group) => {
    const [rule] = group;
    if (!rule) return [];
    const same = [...groupedBy(group, ({ message, place }) => `${message}${place === null ? '' : ` (${place})`}`)];
    return [{ rule, problems: same.map(([text, problems]) => ({ subject: subjectOf(problems), text })) }];
  });
}

/** The tools a message is about; a problem of several tools names them in its message. */
function subjectOf(problems: readonly CheckProblem[]): string {
  const names = problems.flatMap(({ tools }) => (tools.length === 1 ? tools : []));
  const more = names.length - mostNamed;
  return more > 0 ? `${names.slice(0, mostNamed).join(', ')} and ${more} more` : names.join(', ');
}

/** Cells of a tool's row about its calls. */
export function toolCells(tool: ToolReport): readonly string[] {
  const { latencyMs: latency, largestOutputBytes: bytes } = tool;
  return [
    tool.name,
    tool.leftOut === null ? String(tool.calls) : '–',
    tool.leftOut === null ? String(tool.ok) : '–',
    tool.leftOut === null ? String(tool.refused) : '–',
    tool.leftOut === null ? String(tool.probes) : '–',
    latency ? formatMs(latency.p50) : '–',
    latency ? formatMs(latency.p95) : '–',
    latency ? formatMs(latency.max) : '–',
    bytes === null ? '–' : grouped(bytes),
    tool.pin.slice(0, 12),
  ];
}

/** The heads of the columns of `toolCells`. */
export const toolHeads: readonly string[] = [
  'tool',
  ...['calls', 'ok', 'refused', 'probes', 'p50 ms', 'p95 ms', 'max ms', 'bytes', 'pin'].map((head) => `#${head}`),
];

/** The weight of the definitions as a table: heads, a row for each tool, the heaviest first, and the sums. */
export function costTable({ contextCost }: CheckReport): {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly sums: readonly (readonly string[])[];
} {
  const clients = contextCost?.clients ?? [];
  const byTool = clients.map(({ tools }) => new Map(tools.map(({ name, tokens }) => [name, tokens])));
  const names = [...new Set(clients[0]?.tools.map(({ name }) => name))];
  const cells = (label: string, figures: readonly number[]) => [label, ...figures.map(grouped)];
  const instructions = clients.map(({ instructionsTokens }) => instructionsTokens);
  return {
    heads: ['tokens', ...clients.map(({ client }) => client)],
    rows: names.map((name) =>
      cells(
        name,
        byTool.map((tokens) => tokens.get(name) ?? 0),
      ),
    ),
    sums: [
      ...(instructions.some((tokens) => tokens > 0) ? [cells('instructions', instructions)] : []),
      cells(
        'in all',
        clients.map(({ tokens }) => tokens),
      ),
    ],
  };
}

/** How the tokens were counted. */
export function costMethod({ contextCost }: CheckReport): string {
  return contextCost ? `${contextCost.tokenizer}; ${contextCost.error}` : '';
}

/** One line for each pair that was tried on a model. */
export function proofLines({ ambiguity }: CheckReport): string[] {
  return (ambiguity?.pairs ?? []).map((proof) => `${proof.tools.join(' / ')}: ${proofText(proof)}`);
}

/** The heading of these lines; undefined where no model was named. */
export function proofHeading({ ambiguity }: CheckReport): string | undefined {
  if (!ambiguity) return undefined;
  const cost = ambiguity.costUsd === null || ambiguity.costUsd === 0 ? '' : ` for ${costText(ambiguity.costUsd)}`;
  const tried = counted(ambiguity.pairs.filter(({ requests }) => requests > 0).length, 'pair');
  if (ambiguity.pairs.length === 0) return 'No two tools seem ambiguous: nothing was tried on the model';
  return `${tried} of tools that seem ambiguous, tried on ${ambiguity.model}${cost} (intervals: 95 %)`;
}

/** Facts about the server, each with its name. */
export function serverFacts(report: CheckReport): readonly (readonly [string, string])[] {
  const { server, counts, features, definitionTokens } = report;
  const has = [
    counted(counts.tools, 'tool'),
    counted(counts.resources, 'resource'),
    counted(counts.resourceTemplates, 'resource template'),
    counted(counts.prompts, 'prompt'),
  ];
  return [
    ['server', `${server.name} ${server.version}`],
    ['reached by', `${server.transport}, protocol ${server.protocolVersion}`],
    ...factIf('built with', server.sdk ?? undefined),
    ['capabilities', server.capabilities.join(', ') || 'none'],
    ['has', has.join(', ')],
    ['definitions', `about ${grouped(definitionTokens)} tokens of every request`],
    ...features.map((feature) => [feature.name, featureText(feature)] as const),
    ...factIf('baseline', baselineText(report)),
    ...factIf('conformance', conformanceText(report)),
  ];
}

function factIf(name: string, value: string | undefined): (readonly [string, string])[] {
  return value === undefined ? [] : [[name, value]];
}

function featureText({ tried, ok, leftOut }: FeatureReport): string {
  const reason = leftOut === null ? '' : `; ${leftOut}`;
  return tried === 0 ? `not tried${reason}` : `${ok} of ${counted(tried, 'request')} answered well${reason}`;
}

/** Tools that were not called, together with the others of the same reason. */
export function leftOutLines({ tools }: CheckReport): string[] {
  const left = tools.filter(({ leftOut }) => leftOut !== null);
  return [...groupedBy(left, ({ leftOut }) => leftOut)].map(
    ([reason, group]) => `${group.map(({ name }) => name).join(', ')}: ${reason}`,
  );
}

/** `3 errors, 1 warning, 2 infos`, and `1 notice` where there is one. */
export function totalsText({ totals }: CheckReport): string {
  const found = [counted(totals.error, 'error'), counted(totals.warning, 'warning'), counted(totals.info, 'info')];
  return [...found, ...(totals.notice > 0 ? [counted(totals.notice, 'notice')] : [])].join(', ');
}

/** The result of the baseline comparison; undefined without a baseline. */
function baselineText({ baseline }: CheckReport): string | undefined {
  if (!baseline) return undefined;
  if (baseline.state === 'written') return `${baseline.file} was written`;
  if (baseline.state === 'same') return `everything is as in ${baseline.file}`;
  return `${counted(baseline.changes.length, 'change')} since ${baseline.file}`;
}

/** The result of the official suite; undefined where it was not run. */
function conformanceText({ conformance }: CheckReport): string | undefined {
  if (!conformance) return undefined;
  if (conformance.state === 'left-out') return `left out: ${conformance.reason}`;
  const { scenarios, suite, reason } = conformance;
  const passed = scenarios.filter(({ state }) => state === 'pass').length;
  const versions = [...new Set(scenarios.flatMap(({ version }) => version ?? []))].sort();
  const unrun = scenarios.filter(({ state }) => state === 'error');
  const unjudged = scenarios.reduce((sum, scenario) => sum + scenario.unjudged.length, 0);
  return [
    `${passed} of ${counted(scenarios.length, 'scenario')} passed${versions.length > 0 ? ` for ${versions.join(', ')}` : ''}`,
    ` (suite ${suite ?? 'fetched by npx'}; ${reason})`,
    unjudged > 0 ? `; ${counted(unjudged, 'check')} could not be judged` : '',
    ...unrun.map(({ name, messages }) => `; ${name} could not be run: ${messages.join(' ')}`),
  ].join('');
}

function formatMs(ms: number): string {
  return ms < 10 ? ms.toFixed(1) : grouped(Math.round(ms));
}
