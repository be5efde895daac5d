import { printable } from '../../shared/printable.ts';
import type { CheckReport } from '../check-report.ts';
import type { CheckProblem, RuleText, Severity } from '../rule.ts';
import type { CheckFormat } from './check-format.ts';

const levels: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'note' };
const schema = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

/** SARIF 2.1.0, for code scanning. */
export const sarifFormat: CheckFormat = {
  name: 'sarif',
  endings: ['.sarif'],
  render: (report) => `${JSON.stringify(sarifLog(report), null, 2)}\n`,
};

function sarifLog(report: CheckReport): unknown {
  const broken = [...new Map(report.problems.map((problem) => [problem.id, problem])).values()];
  const ids = broken.map(({ id }) => id);
  return {
    $schema: schema,
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'assay mcp-check',
            rules: broken.map(ruleOf),
          },
        },
        invocations: [
          {
            executionSuccessful: report.incomplete === null,
            startTimeUtc: report.startedAt,
            ...(report.incomplete !== null && {
              toolExecutionNotifications: [{ level: 'error', message: { text: printable(report.incomplete) } }],
            }),
          },
        ],
        artifacts: [{ location: { uri: artifactUri(report) }, description: { text: printable(report.server.label) } }],
        results: report.problems.map((problem) => resultOf(problem, ids.indexOf(problem.id), report)),
      },
    ],
  };
}

function ruleOf({ id, severity, summary, why, fix }: RuleText): unknown {
  return {
    id,
    shortDescription: { text: summary },
    fullDescription: { text: why },
    help: { text: fix },
    defaultConfiguration: { level: levels[severity] },
  };
}

function resultOf(problem: CheckProblem, ruleIndex: number, report: CheckReport): unknown {
  const { id, severity, tools, place, message, fix } = problem;
  return {
    ruleId: id,
    ruleIndex,
    level: levels[severity],
    message: { text: `${printable(message)} ${fix}` },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri: artifactUri(report), index: 0 } },
        ...(tools.length > 0 && { logicalLocations: tools.map((tool) => logicalLocation(tool, place, report)) }),
      },
    ],
    partialFingerprints: { 'assay/v1': [id, ...tools, place ?? ''].join('/') },
  };
}

function logicalLocation(tool: string, place: string | null, { server }: CheckReport): unknown {
  const inside = place === null ? '' : `/${place}`;
  return { name: tool, kind: 'function', fullyQualifiedName: `${server.name}/${tool}${inside}` };
}

/** A server is no file: its address stands for it, or its name. */
function artifactUri({ server }: CheckReport): string {
  if (server.transport !== 'stdio') return server.label;
  return `mcp:${encodeURIComponent(server.name || 'server')}`;
}
