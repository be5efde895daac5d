import { openApiRoutes } from '../openapi.ts';
import type { ApiRoute } from '../route.ts';
import { compareRoutes } from './compare.ts';
import { fileRoutes } from './files.ts';
import { judgingRoutes } from './judging.ts';
import { namedPartRoutes } from './named-parts.ts';
import { projectRoutes } from './project.ts';
import { reviewRoutes } from './review.ts';
import { runRoutes } from './runs.ts';
import { systemRoutes } from './system.ts';
import { traceRoutes } from './traces.ts';
import { trialRoutes } from './trials.ts';
import { workbenchRoutes } from './workbench.ts';

const topics: readonly ApiRoute[] = [
  ...projectRoutes,
  ...runRoutes,
  ...trialRoutes,
  ...traceRoutes,
  ...compareRoutes,
  ...judgingRoutes,
  ...fileRoutes,
  ...namedPartRoutes,
  ...reviewRoutes,
  ...workbenchRoutes,
  ...systemRoutes,
];

/** Every route of the API; each topic has its own file. */
export const routes: readonly ApiRoute[] = [...topics, ...openApiRoutes(topics)];
