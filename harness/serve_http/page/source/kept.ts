// A report that is a file holds this page with the data of one campaign inside: it has nobody to ask, and links lead nowhere.
export interface Kept { path: string; title: string; page: any; attempts: any }

function read(): Kept | null {
  const place = document.getElementById('kept');
  return place ? (JSON.parse(place.textContent ?? 'null') as Kept | null) : null;
}

export const kept = read();
