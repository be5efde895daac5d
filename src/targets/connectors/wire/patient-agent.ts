import type { Agent } from 'node:http';
import type { Socket } from 'node:net';

/** Within this time those agents close their connection that do so after each answer without saying it. */
const patienceMs = 5;

/**
 * Lets connections be used again only after they have stayed open for a moment. A request on a connection that is just
 * being closed would be lost, and nobody could tell whether it was seen, so that it could not be sent again.
 */
export function withPatience<Kept extends Agent>(agent: Kept): Kept {
  const emit = agent.emit.bind(agent);
  agent.emit = (event: string | symbol, ...rest: unknown[]): boolean => {
    if (event !== 'free') return emit(event, ...rest);
    const [socket] = rest as [Socket];
    // Nobody else listens meanwhile: a connection that breaks now, or was never made because its request was given up,
    // is one that is not used again, and no reason to end the program.
    socket.on('error', ignore);
    setTimeout(() => {
      socket.off('error', ignore);
      emit(event, ...rest);
    }, patienceMs).unref();
    return true;
  };
  return agent;
}

function ignore(): void {}
