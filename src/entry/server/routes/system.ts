import { webhookHost } from '../../../compose/config/webhook-config.ts';
import type { SharedWork } from '../../../compose/distributed/describe-work.ts';
import { isPostgresUrl } from '../../../keep/store/open-store.ts';
import { sha256 } from '../../../shared/ids.ts';
import {
  mcpServersSchema,
  type Webhooks,
  type Workers,
  webhooksSchema,
  workersSchema,
  workListSchema,
} from '../api/system.ts';
import { mcpServers } from '../catalog/mcp-servers.ts';
import type { ServerContext } from '../context.ts';
import { type ApiRoute, route, tagged } from '../route.ts';

const whyNot =
  'The store is on this machine, so its trials run here. To share them, use a Postgres store with `--store postgres://…`, `ASSAY_STORE` or `store:` in the config, then start `assay queue worker` on each machine and runs with `assay run --distributed`.';

/** Who works on the trials of the store, and what waits. */
export async function readWorkers({ storeUrl }: Pick<ServerContext, 'storeUrl'>): Promise<Workers> {
  if (!isPostgresUrl(storeUrl)) return { isShared: false, whyNot, workers: [], waiting: [] };
  const { describeWork } = await import('../../../compose/distributed/describe-work.ts');
  return sharedWork(await describeWork(storeUrl));
}

/** The work of a shared store as its page shows it. */
export function sharedWork({ workers, runs }: SharedWork): Workers {
  return {
    isShared: true,
    whyNot: null,
    workers: workers.map((worker) => ({
      workerId: worker.facts.workerId,
      host: worker.facts.host,
      version: worker.facts.version,
      state: stateOf(worker),
      concurrency: worker.facts.concurrency,
      tags: [...worker.facts.tags],
      agents: [...worker.facts.agents],
      current: worker.running.map(({ forMs, ...trial }) => ({ ...trial, sinceMs: forMs })),
      notes: [...worker.notes],
      upMs: worker.upMs,
      secondsSinceHeartbeat: worker.seenMsAgo / 1_000,
    })),
    waiting: runs.map(({ unserved, ...run }) => ({ ...run, whyNobody: unserved.join(' ') || null })),
  };
}

function stateOf({ isLost, state, running }: SharedWork['workers'][number]): Workers['workers'][number]['state'] {
  if (isLost) return 'lost';
  if (state === 'stopping') return 'draining';
  return running.length > 0 ? 'working' : 'idle';
}

/** Webhooks of the project with the deliveries that wait. */
async function readWebhooks({ project }: ServerContext): Promise<Webhooks> {
  const { folder, config } = await project();
  if (config.webhooks.length === 0) return { items: [] };
  const { Outbox } = await import('../../../compose/webhooks/outbox.ts');
  const waiting = await new Outbox(folder).read();
  return {
    items: config.webhooks.map(({ url, events }) => ({
      host: webhookHost(url),
      events,
      waiting: waiting
        .filter(({ webhook }) => webhook === sha256(url))
        .map(({ webhook: _, host: __, body: ___, ...delivery }) => delivery),
    })),
  };
}

/** MCP servers, webhooks, workers and the work of the server itself. */
export const systemRoutes: readonly ApiRoute[] = [
  ...tagged('mcp', [
    route('GET /api/mcp', 'reader', {
      summary: 'The MCP servers that recent runs or scenario files know, with their tools, pins, health and coverage.',
      answer: mcpServersSchema,
      async handle(_request, { projectCache }) {
        // Stored runs can be shown although the config is wrong.
        const scenarios = await projectCache.scenarios.scenarios().catch(() => []);
        return mcpServers(await projectCache.mcpHistory.read(), scenarios);
      },
    }),
  ]),
  ...tagged('webhooks', [
    route('GET /api/webhooks', 'reader', {
      summary: 'Webhooks of the config, and events that they have not taken yet.',
      answer: webhooksSchema,
      handle: (_request, context) => readWebhooks(context),
    }),
  ]),
  ...tagged('workers', [
    route('GET /api/workers', 'reader', {
      summary: 'Workers of a shared store, and the trials that wait.',
      answer: workersSchema,
      handle: (_request, context) => readWorkers(context),
    }),
  ]),
  ...tagged('project', [
    route('GET /api/work', 'reader', {
      summary:
        'Comparisons, reports and other work of the server that takes long. It ends when its last client goes away.',
      answer: workListSchema,
      handle: async (_request, { heavyWork }) => ({ items: heavyWork.list() }),
    }),
  ]),
];
