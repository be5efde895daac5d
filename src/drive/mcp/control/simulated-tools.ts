import type { Scenario } from '../../../domain/scenario.ts';
import { listedMocks } from '../../../domain/tool-control/mocks.ts';
import { serversIn } from '../server-definition.ts';

/** Tools and programs of a scenario that a model may play, with its name. */
export function simulatedTools({
  control,
  target,
}: Pick<Scenario, 'control' | 'target'>): { readonly tool: string; readonly model: string }[] {
  const ofServers = serversIn(target.config).flatMap((server) =>
    server.transport !== 'mock'
      ? []
      : Object.entries(server.tools).flatMap(([tool, { answers }]) =>
          listedMocks(answers).map(({ mock }) => ({ tool, mock })),
        ),
  );
  return [...(control?.mocks ?? []), ...(control?.cliMocks ?? []), ...ofServers].flatMap(({ tool, mock }) =>
    mock.simulate ? [{ tool, model: mock.simulate.model }] : [],
  );
}
