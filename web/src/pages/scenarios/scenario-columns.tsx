import { Link } from '@tanstack/react-router';
import type { ScenarioItem } from '../../../../src/entry/server/api/project.ts';
import { Badge, OutcomeBadge } from '../../kit/badge.tsx';
import { Count, When } from '../../kit/figures.tsx';
import type { Column } from '../../kit/table-column.ts';
import { StartRunButton } from '../runs/start-run.tsx';

const targetNames: Readonly<Record<string, string>> = {
  'cli-tool': 'CLI tool',
  http: 'HTTP endpoint',
  'mcp-suite': 'MCP tools',
  'mcp-workflow': 'MCP workflow',
  module: 'function',
};

/** The kind of target, as people call it. */
export function targetName(target: string): string {
  return targetNames[target] ?? target;
}

/** The columns of the list of scenarios. */
export const scenarioColumns: readonly Column<ScenarioItem>[] = [
  {
    key: 'name',
    header: 'Scenario',
    sortKey: 'name',
    isMain: true,
    width: 'minmax(0, 3fr)',
    render: ({ name, description, file }) => (
      <>
        <span className="font-medium">{name}</span>
        <span className="block truncate text-xs text-muted">{description || file}</span>
      </>
    ),
  },
  {
    key: 'target',
    header: 'Under test',
    width: '9rem',
    render: ({ target }) => <Badge tone="neutral">{targetName(target)}</Badge>,
  },
  {
    key: 'tags',
    header: 'Tags',
    render: ({ tags }) => (
      <span className="flex flex-wrap gap-1">
        {tags.map((tag) => (
          <Link key={tag} to="/scenarios" search={{ tag }} className="hover:underline">
            <Badge tone="neutral">{tag}</Badge>
          </Link>
        ))}
      </span>
    ),
  },
  {
    key: 'evaluators',
    header: 'Evaluators',
    width: '6rem',
    align: 'end',
    render: ({ evaluators }) => (
      <span title={evaluators.join(', ')}>
        <Count value={evaluators.length} />
      </span>
    ),
  },
  {
    key: 'trials',
    header: 'Trials',
    sortKey: 'trials',
    width: '5rem',
    align: 'end',
    render: ({ trials }) => <Count value={trials} />,
  },
  {
    key: 'last',
    header: 'Last result',
    sortKey: 'last',
    width: '11rem',
    render: ({ last }) =>
      last === null ? (
        <span className="text-muted">not run yet</span>
      ) : (
        <Link
          to="/trials/$trialId"
          params={{ trialId: last.trialId }}
          className="flex items-center gap-2 hover:underline"
        >
          <OutcomeBadge outcome={last.outcome} marks={last.marks} />
          <span className="text-xs text-muted">
            <When at={last.startedAt} />
          </span>
        </Link>
      ),
  },
  {
    key: 'run',
    header: <span className="sr-only">Run</span>,
    width: '5rem',
    align: 'end',
    render: ({ file, name }) => (
      <StartRunButton label="Run" subject={name} isSmall fixed={{ paths: [file], scenario: name }} />
    ),
  },
];
