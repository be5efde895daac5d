import { type SarifLevel, type SarifRule, SarifWriter } from '../../shared/sarif.ts';
import { printable, withDirectionsEscaped } from '../../shared/text.ts';
import type { CheckReport } from '../check-report.ts';
import type { CheckProblem, Severity } from '../definitions/rule.ts';
import type { CheckFormat } from './check-format.ts';

/** The report as it is. */
export const jsonFormat: CheckFormat = {
  name: 'json',
  endings: ['.json'],
  render: (report) => `${withDirectionsEscaped(JSON.stringify(report, null, 2))}\n`,
};

/** A notice is not a result: nothing in the server is to be changed. */
const levels: Readonly<Record<Exclude<Severity, 'notice'>, SarifLevel>> = {
  error: 'error',
  warning: 'warning',
  info: 'note',
};

/** SARIF 2.1.0, for code scanning. */
export const sarifFormat: CheckFormat = {
  name: 'sarif',
  endings: ['.sarif'],
  render: (report) => {
    const writer = new SarifWriter();
    const { startedAt, incomplete, problems, server } = report;
    const artifact = { location: { uri: artifactUri(report) }, description: { text: printable(server.label) } };
    const parts = [
      writer.begin(),
      ...problems.map((problem) => findingText(problem, report, writer)).filter((text) => text !== ''),
      writer.endFindings({ startedAt, isComplete: incomplete === null }),
      ...(incomplete === null ? [] : [writer.notification({ id: 'incomplete', message: incomplete })]),
      ...problems.flatMap(({ severity, id, message }) =>
        severity === 'notice' ? [writer.notification({ id, message })] : [],
      ),
      writer.end({ tool: { name: 'assay mcp check' }, artifacts: [artifact] }),
    ];
    return withDirectionsEscaped(parts.join(''));
  },
};

function findingText(problem: CheckProblem, report: CheckReport, writer: SarifWriter): string {
  const { id, severity, tools, place, message, fix } = problem;
  if (severity === 'notice') return '';
  return writer.finding({
    rule: ruleOf(problem, levels[severity]),
    message: `${message} ${fix}`,
    location: {
      physicalLocation: { artifactLocation: { uri: artifactUri(report), index: 0 } },
      ...(tools.length > 0 && { logicalLocations: tools.map((tool) => logicalLocation(tool, place, report)) }),
    },
    fingerprint: [id, ...tools, place ?? ''].join('/'),
  });
}

function ruleOf({ id, summary, why, fix, clause }: CheckProblem, level: SarifLevel): SarifRule {
  return { id, level, summary, why, fix, ...(clause === null ? {} : { helpUri: clause }) };
}

function logicalLocation(tool: string, place: string | null, { server }: CheckReport): unknown {
  const inside = place === null ? '' : `/${place}`;
  return { name: tool, kind: 'function', fullyQualifiedName: `${server.name}/${tool}${inside}` };
}

/** A server is not a file: its address or its name stands for it. */
function artifactUri({ server }: CheckReport): string {
  if (server.transport !== 'stdio') return server.label;
  return `mcp:${encodeURIComponent(server.name || 'server')}`;
}
