import type { ApiRoute } from '../route.ts';
import { compareRoutes } from './compare.ts';
import { dashboardRoutes } from './dashboard.ts';
import { fileRoutes } from './files.ts';
import { mcpRoutes } from './mcp.ts';
import { namedPartRoutes } from './named-parts.ts';
import { openApiRoute } from './openapi.ts';
import { partTypeRoutes } from './part-types.ts';
import { reviewRoutes } from './review.ts';
import { rubricRoutes } from './rubrics.ts';
import { runRoutes } from './runs.ts';
import { scenarioFormatRoutes } from './scenario-formats.ts';
import { scenarioRoutes } from './scenarios.ts';
import { settingsRoutes } from './settings.ts';
import { statusRoutes } from './status.ts';
import { trialRoutes } from './trials.ts';
import { workerRoutes } from './workers.ts';

const topics: readonly ApiRoute[] = [
  ...statusRoutes,
  ...dashboardRoutes,
  ...runRoutes,
  ...trialRoutes,
  ...compareRoutes,
  ...scenarioFormatRoutes,
  ...scenarioRoutes,
  ...fileRoutes,
  ...partTypeRoutes,
  ...namedPartRoutes,
  ...rubricRoutes,
  ...settingsRoutes,
  ...reviewRoutes,
  ...mcpRoutes,
  ...workerRoutes,
];

/** Every route of the API; each topic has its own file. */
export const routes: readonly ApiRoute[] = [...topics, openApiRoute(topics)];
