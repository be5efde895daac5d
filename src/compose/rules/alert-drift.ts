import type { SpanSpool } from '../../keep/spool/span-spool.ts';
import type { Store } from '../../keep/store/store.ts';
import type { Project } from '../config/project.ts';
import { DriftWatch } from '../drift/watch-drift.ts';
import { driftPayload } from '../webhooks/payload.ts';
import { RunWebhooks } from '../webhooks/run-webhooks.ts';

interface AlertOptions {
  readonly project: Project;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly store: Store;
  readonly spool: SpanSpool;
  warn(message: string): void;
}

/** Looks for drift, and notifies the webhooks of each drift once. */
export function driftAlerts({ project, env, store, spool, warn }: AlertOptions): () => Promise<void> {
  const watch = new DriftWatch(store);
  const webhooks = new RunWebhooks({ project, env, warn });
  return async () => {
    for (const drift of await watch.look(project.config.rules, Date.now())) {
      if (drift.state !== 'drift') continue;
      const payload = driftPayload(project, drift);
      const fact = `alerted ${payload.id}`;
      if (spool.fact(fact) !== undefined) continue;
      warn(`Rule ${drift.rule}: ${String(payload.reason)}.`);
      await webhooks.drifted(payload);
      await spool.judgements.change(({ setFact }) => setFact(fact, new Date().toISOString()));
    }
  };
}
