import type { RunHeader } from '../../../domain/run.ts';
import type { ServiceAccess, ServiceApi } from './api.ts';
import type { PublishedTrial } from './published-trial.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** A service that keeps datasets and experiments. */
export interface Service {
  /** As it is chosen with `--to`. */
  readonly name: string;
  /** Environment variables that say where it is and open it, as help texts list them. */
  readonly variables: string;
  /** Throws where a variable is missing. */
  access(env: Env): ServiceAccess;
  publisher(api: ServiceApi, place: PublishedPlace): Publisher;
}

/** Where runs of a project are there. */
export interface PublishedPlace {
  /** Name of the dataset, and of the project where a service has projects. */
  readonly name: string;
}

/** Publishes trials; sending the same trials again changes nothing. */
export interface Publisher {
  /** Throws a `NotTaken` where the service did not take all of them. */
  publish(run: RunHeader, trials: readonly PublishedTrial[]): Promise<void>;
}
