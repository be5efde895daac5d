import { coverageLines } from '../../domain/coverage-text.ts';
import { faultSource } from '../../domain/fault-source.ts';
import type { GateResult } from '../../domain/gate.ts';
import { markSentences, marksOf } from '../../domain/marks.ts';
import { isPartlyJudged } from '../../domain/outcome.ts';
import type { TrialRecord } from '../../domain/record.ts';
import { eventsOf, type Trace, type TraceEventOf } from '../../domain/trace.ts';
import { costText, counted, formatDuration, grouped } from '../../shared/format.ts';
import { pascalCase } from './json-files.ts';
import { judgeFeedback, judgeScore } from './judge-md.ts';
import { codeSpan, efficiencyRows, gateCounts, inline, outcomeText, scoreTier, table } from './markdown.ts';
import type { TrialStory } from './trial-facts.ts';

const mostChanges = 40;
const mostUnrecorded = 20;

/** The verdict on a trial for a person: what came of it and why first, then the figures, and room for a review. */
export function evaluationMd({ facts, trace, record }: TrialStory): string {
  const sections = [
    [`# Evaluation: ${inline(facts.scenario)}`],
    ['## Summary', '', ...summary({ facts, trace, record })],
    ['## Judge Score', '', ...judgeScore(record)],
    ['## Metrics', '', ...metrics(record), ...unrecordedCalls(record)],
    ...observed(record),
    ['## Judge Feedback', '', ...judgeFeedback(record)],
    ['## Custom Evaluator Results', '', ...customEvaluators(record)],
    ['## What the Agent Changed', '', ...changes(trace)],
    ['## Human Review', '', ...humanReview],
    ['## Links', '', ...links],
  ];
  return `${sections.map((lines) => lines.join('\n').trimEnd()).join('\n\n')}\n`;
}

/** The unobserved part of the trial; nothing where everything was observed. */
function observed({ coverage }: TrialRecord): string[][] {
  const lines = coverageLines(coverage).map((line) => `- ${inline(line)}`);
  return lines.length === 0 ? [] : [['## What Was Observed', '', ...lines]];
}

function summary({ facts, trace, record }: TrialStory): string[] {
  const failures = [...record.gates.filter(({ passed }) => !passed).map(failedGate), ...otherFailures(record)];
  return [
    `**${marks[record.outcome]} ${inline(outcomeText(record))}${marksOf(record)
      .map((mark) => `, ${mark}`)
      .join('')}**`,
    '',
    ...markSentences(record).flatMap((sentence) => [inline(sentence), '']),
    ...(failures.length > 0 ? ['Why:', '', ...failures, ''] : []),
    ...fault(record),
    'What was run:',
    '',
    `- **Scenario**: ${inline(facts.scenario)}`,
    `- **Tool**: ${inline([facts.tool, facts.toolVersion ?? ''].join(' '))}`,
    `- **Model**: ${inline(facts.model)}${facts.guidance === null ? '' : `, guidance ${inline(facts.guidance)}`}`,
    `- **Outcome**: ${inline(outcomeText(record))}`,
    ...eventsOf(trace, 'agent-ended').slice(-1).map(agentEnd),
  ];
}

const marks = { pass: '✅', fail: '❌', error: '⚠️', skipped: '⏭️' } as const;

function failedGate({ gate_type, message }: GateResult): string {
  return `- ❌ ${codeSpan(pascalCase(gate_type))}: ${inline(message)}`;
}

/** Assertions that are no gates, such as a judge, and gates that gave no answer. */
function otherFailures({ evaluatorResults, gates }: TrialRecord): string[] {
  const reported = new Set(gates.map(({ gate_type }) => pascalCase(gate_type)));
  return evaluatorResults
    .filter(
      ({ kind, state, type }) =>
        kind === 'assertion' && (state === 'error' || (state === 'fail' && !reported.has(pascalCase(type)))),
    )
    .map(
      ({ state, type, reason }) =>
        `- ${marks[state === 'fail' ? 'fail' : 'error']} ${codeSpan(type)}: ${inline(reason)}`,
    );
}

function fault(record: TrialRecord): string[] {
  const { fault: why } = record;
  return why === null || isPartlyJudged(record)
    ? []
    : [`Could not be judged: ${codeSpan(why.code)}, source: ${faultSource(why)}. ${inline(why.hint)}`, ''];
}

function agentEnd({ completed, timedOut, reason }: TraceEventOf<'agent-ended'>): string {
  if (completed) return '- **Agent**: completed';
  return `- **Agent**: did not complete: ${inline(reason ?? (timedOut ? 'timed out' : 'no reason given'))}`;
}

function metrics(record: TrialRecord): string[] {
  const { passed, total } = gateCounts(record);
  const { compositeScore, interaction } = record;
  return table(
    ['Metric', 'Value'],
    [
      ['Gates Passed', `${passed}/${total}`],
      ['Duration', formatDuration(record.durationMs)],
      ['Cost', costText(record.costUsd)],
      ...(compositeScore === null
        ? []
        : [['Composite Score', `${compositeScore.toFixed(2)} (${scoreTier(compositeScore)})`]]),
      ...(interaction === null ? [] : efficiencyRows(interaction)),
    ],
  );
}

/** The figures above leave these calls out, so they are listed beside them. */
function unrecordedCalls({ interaction }: TrialRecord): string[] {
  const lines = interaction?.unrecorded ?? [];
  if (lines.length === 0) return [];
  const listed = lines.slice(0, mostUnrecorded).map((line) => `- ${codeSpan(line)}`);
  const more = lines.length > mostUnrecorded ? [`- … and ${lines.length - mostUnrecorded} more`] : [];
  const title = `These figures do not include ${counted(lines.length, 'unrecorded call')} that bypassed the recorder:`;
  return ['', title, '', ...listed, ...more];
}

function customEvaluators({ scripts }: TrialRecord): string[] {
  if (scripts.length === 0) return ['None.'];
  return scripts.flatMap(({ name, score, summary, error, metrics: figures }) => [
    `- **${inline(name)}**${score === undefined ? '' : `: ${score.toFixed(2)} (${scoreTier(score)})`}`,
    ...(summary === undefined ? [] : [`  - ${inline(summary)}`]),
    ...(error === undefined ? [] : [`  - ⚠️ ${inline(error)}`]),
    ...(figures === undefined ? [] : [`  - ${codeSpan(JSON.stringify(figures))}`]),
  ]);
}

function changes(trace: Trace): string[] {
  const events = eventsOf(trace, 'file-change');
  if (events.length === 0) return ['Nothing.'];
  const more = events.length - mostChanges;
  return [
    ...events.slice(0, mostChanges).map(changeLine),
    ...(more > 0 ? [`- … and ${counted(more, 'more file')}`] : []),
  ];
}

function changeLine({ change, path, bytes, diff }: TraceEventOf<'file-change'>): string {
  const size = bytes === null ? '' : ` (${grouped(bytes)} bytes)`;
  const lines = diff?.split('\n') ?? [];
  const count = (sign: string): number =>
    lines.filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3))).length;
  const difference = diff === null ? '' : `, +${count('+')} −${count('-')} lines`;
  return `- ${change} ${codeSpan(path)}${size}${difference}`;
}

const humanReview = ['<!--', 'Human Score: __/5', 'Notes:', '', '-->'];

const links = [
  '- [Transcript](transcript.human.txt), [as it was printed](transcript.raw.txt) (sensitive: keep it to yourself)',
  '- [Events](events.jsonl), [metrics](metrics.json), [run](run.json)',
  '- [Report](report.md)',
  '- [Work directory](fixture/)',
];
