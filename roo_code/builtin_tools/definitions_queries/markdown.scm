(section . (atx_heading) @name) @definition
(section . (setext_heading) @name) @definition
