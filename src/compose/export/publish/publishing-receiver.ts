import type { TrialRecord } from '../../../domain/record.ts';
import type { RunHeader } from '../../../domain/run.ts';
import type { Case } from '../../../domain/scenario.ts';
import type { Trace } from '../../../domain/trace.ts';
import { sha256 } from '../../../shared/ids.ts';
import { redactDeep } from '../../../shared/redaction/redaction.ts';
import type { Project } from '../../config/project.ts';
import { casesOfRun } from '../../run/cases-of-run.ts';
import type { Receiver } from '../export-runs.ts';
import { type OutgoingTrial, RunSender, type SenderOptions } from '../run-sender.ts';
import { NotTaken, ServiceApi } from './api.ts';
import { type PublishedTrial, publishedTrial } from './published-trial.ts';
import type { PublishedPlace, Publisher, Service } from './service.ts';

interface PublishOptions extends PublishedPlace {
  readonly project: Project;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A service that gets runs as experiments with their dataset. */
export function publishingReceiver(service: Service, options: PublishOptions): Receiver {
  const access = service.access(options.env);
  return {
    id: sha256(`${service.name} ${access.url.href} ${options.name}`).slice(0, 32),
    host: access.url.host,
    secrets: access.secrets,
    open(sending) {
      const publisher = service.publisher(new ServiceApi(access, sending), options);
      return new PublishingSender(publisher, options, sending);
    },
  };
}

class PublishingSender extends RunSender<PublishedTrial> {
  readonly #publisher: Publisher;
  readonly #place: PublishOptions;
  #cases: { readonly runId: string; caseOf(record: TrialRecord): Promise<Case | undefined> } | undefined;

  constructor(publisher: Publisher, place: PublishOptions, options: SenderOptions) {
    super(options);
    this.#publisher = publisher;
    this.#place = place;
  }

  protected async contentOf(run: RunHeader, record: TrialRecord, trace: Trace): Promise<PublishedTrial> {
    const { project, env } = this.#place;
    if (this.#cases?.runId !== run.runId) this.#cases = { runId: run.runId, caseOf: casesOfRun(run, project, env) };
    return redactDeep(publishedTrial(record, trace, await this.#cases.caseOf(record)), this.options.redact);
  }

  protected async deliver(run: RunHeader, batch: readonly OutgoingTrial<PublishedTrial>[]): Promise<void> {
    try {
      await this.#publisher.publish(
        run,
        batch.map(({ content }) => content),
      );
      this.noteTaken(run, batch);
    } catch (error) {
      if (!(error instanceof NotTaken)) throw error;
      const { kind, failure } = error.failure;
      if (kind === 'refused') await this.refused(run, batch, failure);
      else this.stop(failure);
    }
  }
}
