import type { TrialRecord } from '../../../../domain/record.ts';
import { formatDuration } from '../../../../shared/format.ts';
import { figureText, percentText } from '../../../presentation/figures-text.ts';
import { element } from './element.ts';
import { badge, hidden, section, table } from './parts.ts';

/** The tests of a suite against an MCP server. */
export function healthSection({ toolHealth }: TrialRecord): HTMLElement | undefined {
  if (toolHealth.length === 0) return undefined;
  const rows = toolHealth.map(({ state, testName, toolName, latency, retryCount, details, error }) => ({
    isProblem: state !== 'pass',
    cells: [
      badge(state),
      testName,
      toolName,
      `${formatDuration(latency)}${retryCount > 0 ? `, ${retryCount} again` : ''}`,
      element('div', {}, details, error !== undefined && error !== details && hidden('Error', error)),
    ],
  }));
  return section('Tool health', table('Tool health', ['', 'Test', 'Tool', '#Time', 'Details'], rows));
}

/** The figures that a workflow is scored by. */
export function workflowSection({ workflow, workflowScore }: TrialRecord): HTMLElement | undefined {
  if (workflow.length === 0) return undefined;
  const rows = workflow.map(({ metric, passed, score, details, state }) => ({
    isProblem: !passed,
    cells: [badge(state ?? (passed ? 'pass' : 'fail')), metric, score.toFixed(2), details],
  }));
  return section(
    'Workflow',
    workflowScore !== null && element('p', {}, `Score ${workflowScore.toFixed(2)}`),
    table('Workflow', ['', 'Metric', '#Score', 'Details'], rows),
  );
}

const interactionFigures = [
  'total_commands',
  'unique_commands',
  'error_count',
  'retry_count',
  'help_invocations',
] as const;

/** How well the agent used the tool, all in all and by subcommand. */
export function interactionSection({ interaction }: TrialRecord): HTMLElement | undefined {
  if (!interaction) return undefined;
  const rows = [['all', interaction] as const, ...Object.entries(interaction.subcommands)].map(([name, figures]) => ({
    cells: [
      name,
      ...interactionFigures.map((key) => figureText(figures[key])),
      percentText(figures.error_rate),
      percentText(figures.first_try_success_rate),
    ],
  }));
  const headers = ['Command', '#Calls', '#Different', '#Errors', '#Again', '#Help', '#Error rate', '#First try'];
  const remarks = [
    ...interaction.disagreements.map(({ message }) => message),
    ...interaction.unrecorded.map((line) => `Went round the recorder: ${line}`),
  ];
  return section(
    'How the tool was used',
    element(
      'p',
      { class: 'muted' },
      `Source: ${interaction.source}${interaction.completed === false ? '; the agent did not complete' : ''}`,
    ),
    table('How the tool was used', headers, rows),
    ...remarks.map((text) => element('p', { class: 'muted' }, text)),
  );
}
