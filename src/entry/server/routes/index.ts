import { openApiRoute } from '../openapi.ts';
import type { ApiRoute } from '../route.ts';
import { compareRoutes } from './compare.ts';
import { fileRoutes } from './files.ts';
import { judgingRoutes } from './judging.ts';
import { namedPartRoutes } from './named-parts.ts';
import {
  namedScenarioRoutes,
  partTypeRoutes,
  rubricRoutes,
  scenarioFormatRoutes,
  scenarioRoutes,
  scenarioStatsRoutes,
  settingsRoutes,
  statusRoutes,
} from './project.ts';
import { reviewRoutes } from './review.ts';
import { dashboardRoutes, runRoutes } from './runs.ts';
import { mcpRoutes, webhookRoutes, workerRoutes, workRoutes } from './system.ts';
import { trialRoutes } from './trials.ts';
import { workbenchRoutes } from './workbench.ts';

const topics: readonly ApiRoute[] = [
  ...statusRoutes,
  ...dashboardRoutes,
  ...runRoutes,
  ...trialRoutes,
  ...compareRoutes,
  ...judgingRoutes,
  ...scenarioFormatRoutes,
  ...scenarioRoutes,
  ...namedScenarioRoutes,
  ...scenarioStatsRoutes,
  ...fileRoutes,
  ...partTypeRoutes,
  ...namedPartRoutes,
  ...rubricRoutes,
  ...settingsRoutes,
  ...reviewRoutes,
  ...mcpRoutes,
  ...workbenchRoutes,
  ...workerRoutes,
  ...webhookRoutes,
  ...workRoutes,
];

/** Every route of the API; each topic has its own file. */
export const routes: readonly ApiRoute[] = [...topics, openApiRoute(topics)];
