/** How fast trials finish, in the unit that gives a number one can picture. */
export function rateText(perSecond: number | null): string {
  if (perSecond === null || !Number.isFinite(perSecond) || perSecond <= 0) return 'rate is not known yet';
  if (perSecond >= 1) return `${perSecond >= 10 ? Math.round(perSecond) : perSecond.toFixed(1)} trials per second`;
  const perMinute = perSecond * 60;
  if (perMinute >= 1) return `${perMinute >= 10 ? Math.round(perMinute) : perMinute.toFixed(1)} trials per minute`;
  return `${(perMinute * 60).toFixed(1)} trials per hour`;
}
