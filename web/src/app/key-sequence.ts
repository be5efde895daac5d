/** What a key means outside of texts. */
export type KeyMeaning =
  | { readonly kind: 'go'; readonly key: string }
  | { readonly kind: 'search' | 'keys' | 'first-row' }
  | null;

/** How long `g` waits for the key that follows. */
const patienceMs = 1_500;

/** Reads keys one after the other; `g` says that the next one names a page. */
export function createKeyReader(): (key: string, nowMs: number) => KeyMeaning {
  let leaderAtMs: number | null = null;
  return (key, nowMs) => {
    const isAfterLeader = leaderAtMs !== null && nowMs - leaderAtMs <= patienceMs;
    leaderAtMs = null;
    if (isAfterLeader && /^[a-z]$/.test(key)) return { kind: 'go', key };
    if (key === 'g') {
      leaderAtMs = nowMs;
      return null;
    }
    if (key === '/') return { kind: 'search' };
    if (key === '?') return { kind: 'keys' };
    return key === 'j' || key === 'k' ? { kind: 'first-row' } : null;
  };
}
