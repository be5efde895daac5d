import { basename } from 'node:path';
import { BaseSequencer } from 'vitest/node';

/**
 * Suites that take longest, in that order: started first, so that no worker is still busy with one of them when the
 * others have nothing left. A name that is missing here costs time, and nothing else.
 */
const slowest = [
  'faults-engine',
  'docs-samples',
  'compared-worlds',
  'pages',
  'report-command',
  'judge-run',
  'reuse',
  'commands',
  'compare',
  'cli-tools-faults',
  'distributed',
  'store',
  'agent-outages',
  'mcp-configs',
  'rescore',
  'store-postgres',
  'bad-input-commands',
  'package',
  'mcp-agents',
  'hostile-texts',
  'resume',
  'cli-tools-cut-short',
  'command-gates',
  'absent',
  'seven-way-agreement',
  'cli-tools',
  'import',
  'lying-world',
  'github-action',
  'models-storm',
  'spreadsheet-run',
  'agent-leftovers',
];

export class SlowestFirst extends BaseSequencer {
  async sort(files) {
    const rank = ({ moduleId }) => {
      const index = slowest.indexOf(basename(moduleId, '.test.ts'));
      return index === -1 ? slowest.length : index;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
