import type { Agent } from 'node:http';
import type { Socket } from 'node:net';

/** Shorter than servers usually keep idle connections, so a request rarely meets one that the server is closing. */
export const idleLimitMs = 4_000;
/** Servers that close their connection after each response without announcing it do so within this time. */
const quarantineMs = 5;

/**
 * Reuses a connection only after it has stayed open for a moment. A request on a connection that is just being closed
 * would be lost, and because nobody could tell whether the server read it, it could not be sent again.
 */
export function withQuarantine<Kept extends Agent>(agent: Kept): Kept {
  const emit = agent.emit.bind(agent);
  agent.emit = (event: string | symbol, ...rest: unknown[]): boolean => {
    if (event !== 'free') return emit(event, ...rest);
    const [socket] = rest as [Socket];
    // Nothing else listens meanwhile: a connection that breaks now is not reused, and must not end the program.
    socket.on('error', ignore);
    setTimeout(() => {
      socket.off('error', ignore);
      emit(event, ...rest);
    }, quarantineMs).unref();
    return true;
  };
  return agent;
}

function ignore(): void {}
