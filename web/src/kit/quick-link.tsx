import { type NavigateOptions, useRouter } from '@tanstack/react-router';
import type { ComponentProps, MouseEvent } from 'react';
import type { RowLink } from './table-column.ts';

/**
 * A link in a long table. The router's own links each listen to where the page is, which takes most of the time in which
 * a list with dozens of them appears; these need not know.
 */
export function QuickLink({
  link,
  ...rest
}: { readonly link: RowLink } & Omit<ComponentProps<'a'>, 'href' | 'onClick'>) {
  const router = useRouter();
  const { href } = router.buildLocation(link as NavigateOptions);
  // In a report addresses stand behind the `#`.
  const address = router.history.createHref(href);
  const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
    const isForBrowser = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (event.defaultPrevented || isForBrowser) return;
    event.preventDefault();
    void router.navigate(link as NavigateOptions);
  };
  return <a {...rest} href={address} onClick={follow} />;
}
