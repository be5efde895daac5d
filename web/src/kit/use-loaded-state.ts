import { startTransition, useCallback, useState } from 'react';

/**
 * State that shows a part of the program which may have to be loaded. React shows a loaded part a third of a second late
 * where it has drawn the place without it; as a transition, the place is drawn once, with it.
 */
export function useLoadedState<State>(initial: State): readonly [state: State, change: (next: State) => void] {
  const [state, setState] = useState(initial);
  const change = useCallback((next: State) => startTransition(() => setState(next)), []);
  return [state, change];
}
