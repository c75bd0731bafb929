/** The chat page: an empty room with a strict content security policy. */

export interface ChatPageUris {
	script: string;
	style: string;
	/** Where the page may load styles, fonts and images from. */
	cspSource: string;
	/** New for each page. */
	nonce: string;
}

/** The page's HTML. Everything on it is drawn by the script. */
export function chatHtml({ script, style, cspSource, nonce }: ChatPageUris): string {
	const policy = [
		`default-src 'none'`,
		`script-src 'nonce-${nonce}'`,
		`style-src ${cspSource}`,
		`font-src ${cspSource}`,
		`img-src ${cspSource} data:`,
	].join('; ');
	return `<!doctype html>
<html lang="en">
<head>
	<meta charset="utf-8">
	<meta http-equiv="Content-Security-Policy" content="${policy}">
	<meta name="viewport" content="width=device-width, initial-scale=1">
	<link rel="stylesheet" href="${style}">
	<title>Espalier</title>
</head>
<body>
	<div id="root"></div>
	<script nonce="${nonce}" src="${script}"></script>
</body>
</html>`;
}
