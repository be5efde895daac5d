import { asAssayError } from '../../domain/errors.ts';
import type { Emit, RunHeader } from '../../domain/run.ts';
import type { CollectedSide } from '../../report/compare/collected-side.ts';
import { type BaselineCheck, checkRegressions, type RegressionRules } from '../../report/compare/regressions.ts';
import { collectSide } from '../../report/compare/side-collector.ts';
import { storedSource } from '../../report/compare/stored-source.ts';
import type { StoredRun } from '../../report/reporters/reporter.ts';
import { HttpClient } from '../../shared/http/http-client.ts';
import { sha256 } from '../../shared/ids.ts';
import { redactDeep } from '../../shared/redaction/redaction.ts';
import { expandVariables, unsetVariables } from '../../shared/variables.ts';
import { readBaseline } from '../compare/baseline-file.ts';
import type { Project } from '../config/project.ts';
import { projectRedaction } from '../config/redaction.ts';
import { isWebUrl, type Webhook, webhookHost } from '../config/webhook-config.ts';
import { type DeliveryResult, deliver } from './deliver.ts';
import { type Delivery, Outbox } from './outbox.ts';
import { brokenPayload, errorPayload, finishedPayload, regressionPayload, type WebhookPayload } from './payload.ts';

type Env = Readonly<Record<string, string | undefined>>;

interface RunWebhooksOptions {
  readonly project: Project;
  readonly env: Env;
  /** Reports a delivery that failed. */
  warn(message: string): void;
}

/** The baseline that a run is held against, and how. */
export interface RegressionCheck {
  readonly baseline: CollectedSide | undefined;
  readonly rules: RegressionRules;
}

/**
 * Sends the events of a run to the webhooks of its project, after the run is stored. A delivery that fails changes
 * nothing about the run: it stays in the outbox, and is sent again after the next run.
 */
export class RunWebhooks {
  readonly #options: RunWebhooksOptions;
  #run: RunHeader | undefined;

  constructor(options: RunWebhooksOptions) {
    this.#options = options;
  }

  /** Notes which run began, for one that breaks off. */
  readonly listen: Emit = (event) => {
    if (event.type === 'run-started') this.#run = event.run;
  };

  /** Waits no longer than the webhooks allow, and never throws. */
  async finished(run: StoredRun, check?: RegressionCheck): Promise<void> {
    await this.#guarded(async () => {
      const { project } = this.#options;
      const payloads = [finishedPayload(project, run.summary)];
      if (run.summary.outcome === 'error' || run.summary.totals.error > 0)
        payloads.push(await errorPayload(project, run));
      if (this.#isWanted('regression')) {
        const found = await regressionOf(run, project, check);
        if (found?.outcome === 'fail') payloads.push(regressionPayload(project, run.summary, found));
      }
      return payloads;
    });
  }

  /** For a run that broke off with an error. */
  async broke(error: unknown): Promise<void> {
    const run = this.#run;
    if (run) await this.#guarded(async () => [brokenPayload(this.#options.project, run, asAssayError(error))]);
  }

  /** For the drift of a rule. */
  async drifted(payload: WebhookPayload): Promise<void> {
    await this.#guarded(async () => [payload]);
  }

  #isWanted(event: Webhook['events'][number]): boolean {
    return this.#options.project.config.webhooks.some(({ events }) => events.includes(event));
  }

  async #guarded(make: () => Promise<readonly WebhookPayload[]>): Promise<void> {
    try {
      await this.#send(await make());
    } catch (error) {
      this.#options.warn(`Webhooks could not be sent: ${asAssayError(error).message}`);
    }
  }

  async #send(payloads: readonly WebhookPayload[]): Promise<void> {
    const { project, env, warn } = this.#options;
    const redact = projectRedaction(project, env);
    const outbox = new Outbox(project.folder);
    for (const { url, events } of project.config.webhooks) {
      for (const payload of payloads.filter(({ event }) => events.includes(event))) {
        const body = JSON.stringify(redactDeep(payload, redact));
        const { id, event } = payload;
        const place = { webhook: sha256(url), host: webhookHost(url) };
        const began = { createdAt: Date.now(), attempts: 0, lastFailure: null };
        await outbox.write({ id, event, ...place, body, ...began }, redact);
      }
    }
    for (const { id, host } of await outbox.trim())
      warn(`Webhook ${host}: ${id} was dropped, because too many deliveries wait.`);
    using client = new HttpClient({ env });
    const waiting = await outbox.read();
    await Promise.all(waiting.map((delivery) => this.#deliver(delivery, outbox, client)));
  }

  async #deliver(delivery: Delivery, outbox: Outbox, client: HttpClient): Promise<void> {
    const { project, env, warn } = this.#options;
    const hook = project.config.webhooks.find(({ url }) => sha256(url) === delivery.webhook);
    // A webhook that left the config gets nothing more.
    if (!hook) return outbox.remove(delivery);
    const result = await deliverTo(hook, delivery, env, client);
    if (result.kind === 'taken') return outbox.remove(delivery);
    const redact = projectRedaction(project, env);
    const what = `Webhook ${webhookHost(hook.url)} did not take ${delivery.id} (${redact(result.failure)})`;
    if (result.kind === 'refused') {
      warn(`${what}. It is not sent again.`);
      return outbox.remove(delivery);
    }
    warn(`${what}, attempts: ${result.attempts}. It is sent again after the next run.`);
    const attempts = delivery.attempts + result.attempts;
    return outbox.write({ ...delivery, attempts, lastFailure: redact(result.failure) }, redact);
  }
}

/** An event is never sent unsigned. */
async function deliverTo(hook: Webhook, delivery: Delivery, env: Env, client: HttpClient): Promise<DeliveryResult> {
  const [unset] = [...unsetVariables(hook.url, env), ...unsetVariables(hook.secret, env)];
  if (unset !== undefined)
    return { kind: 'failed', attempts: 0, failure: `the environment variable ${unset} is not set` };
  const url = expandVariables(hook.url, env);
  if (!isWebUrl(url)) return { kind: 'failed', attempts: 0, failure: 'its URL is not an http or https URL' };
  const signal = AbortSignal.timeout(hook.timeoutSecs * 1_000);
  return deliver(delivery, { client, url: new URL(url), secret: expandVariables(hook.secret, env), signal });
}

/** The baseline of the command line, or else the one that is saved under the default name; without one nothing is known. */
async function regressionOf(
  { summary, store }: StoredRun,
  project: Project,
  check: RegressionCheck | undefined,
): Promise<BaselineCheck | undefined> {
  if (summary.run.status !== 'finished') return undefined;
  const baseline = check?.baseline ?? (await readBaseline(project.folder, 'default'));
  if (!baseline) return undefined;
  return checkRegressions(baseline, await collectSide(storedSource(summary.run, store)), check?.rules ?? {});
}
