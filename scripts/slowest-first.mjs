import { basename } from 'node:path';
import { BaseSequencer } from 'vitest/node';

/**
 * Suites that take longest, in that order: started first, so that no worker is still busy with one of them when the
 * others have nothing left. A name that is missing here costs time, and nothing else.
 */
const slowest = [
  'pages',
  'report-memory',
  'store-injected-faults',
  'generate',
  'packed-side',
  'improve',
  'docs-samples',
  'lying-world',
  'resume',
  'agent-outages',
  'agent-replay',
  'gateway',
  'faults-engine',
  'hostile',
  'hostile-agent',
  'clean-room',
  'store',
  'commands',
  'store-postgres',
  'distributed',
  'models-storm',
  'html-report',
  'reuse',
  'cli-tools-faults',
  'mcp-configs',
  'package',
  'plugins',
  'hostile-texts',
  'walk-through',
  'vitest-integration',
  'one-file-one-line',
  'judge-run',
  'mcp-agents',
  'spreadsheet-run',
  'mcp-server',
  'targets-module-hostile',
  'targets-command',
  'targets-command-leftovers',
  'seven-way-agreement',
  'rescore',
  'compared-worlds',
  'github-action',
  'compare',
  'cli-tools',
  'bad-input-commands',
  'exactness',
  'open-recorder',
  'agent-leftovers',
  'command-gates',
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
