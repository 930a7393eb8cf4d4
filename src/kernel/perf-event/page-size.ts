const UNITS = ['B', 'K', 'M', 'G'];

/**
 * A page size as perf writes it: `4K`, `2M`; `N/A` for 0, which the kernel reports where no page is
 * mapped. perf leaves a unit only above 1, so that a page of 1 GiB is `1024M`.
 */
export function formatPageSize(bytes: number): string {
  if (bytes === 0) return 'N/A';
  let size = bytes;
  let unit = 0;
  while (Math.floor(size / 1024) > 1 && unit < UNITS.length - 1) {
    size = Math.floor(size / 1024);
    unit++;
  }
  return `${size}${UNITS[unit]}`;
}
